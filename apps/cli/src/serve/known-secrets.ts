import { secretsIn } from '@throughline/agents/internal'
import type { Config } from '../config/config.ts'
import { settingsFromEnv } from '../settings/settings.ts'

/**
 * Returns all secrets of an installation: keys and tokens in the environment, the tokens of its users, the password of
 * its databases, and what its configuration sends to MCP servers. They are hidden in logs, and in what tools return.
 */
export function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  { mcp = {}, databases = {} }: Config,
): readonly string[] {
  const ofServers = Object.values(mcp).flatMap(server =>
    'url' in server
      ? [...secretsIn(server.headers ?? {}).flatMap(credentialsIn), ...clientSecretOf(server)]
      : secretsIn(server.env ?? {}),
  )
  const { tokens, postgres } = settingsFromEnv(env)
  const ofAgents = Object.values(databases).map(each => ('postgres' in each ? each.postgres : undefined))
  const ofDatabase = [postgres?.url, postgres?.listenUrl, ...ofAgents].flatMap(url =>
    url === undefined ? [] : passwordIn(url),
  )
  return [...secretsIn(env), ...tokens.keys(), ...ofServers, ...ofDatabase]
}

function clientSecretOf({
  oauth,
}: {
  readonly oauth?: true | { readonly clientSecret?: string | undefined } | undefined
}) {
  const secret = oauth === true ? undefined : oauth?.clientSecret
  return secret === undefined ? [] : [secret]
}

/** Returns the password in a URL, as it is written there and as it is meant. */
function passwordIn(url: string): readonly string[] {
  const { password } = new URL(url)
  return password === '' ? [] : [password, decodeURIComponent(password)]
}

/**
 * Returns a header's value, and its words after the first: not only `Bearer abc` is a secret, `abc` alone is one too.
 */
function credentialsIn(header: string): readonly string[] {
  return [header, ...header.split(/\s+/).slice(1)]
}
