import { secretsIn } from '@throughline/agents/internal'
import type { Config } from './config.ts'
import { settingsFromEnv } from './settings.ts'

/**
 * Returns all secrets of an installation: keys and tokens in the environment, the tokens of its users, and what its
 * configuration sends to MCP servers. They are hidden in logs, and in what tools return.
 */
export function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  { mcp = {} }: Config,
): readonly string[] {
  const ofServers = Object.values(mcp).flatMap(server =>
    'url' in server ? secretsIn(server.headers ?? {}).flatMap(credentialsIn) : secretsIn(server.env ?? {}),
  )
  return [...secretsIn(env), ...settingsFromEnv(env).tokens.keys(), ...ofServers]
}

/**
 * Returns a header's value, and its words after the first: not only `Bearer abc` is a secret, `abc` alone is one too.
 */
function credentialsIn(header: string): readonly string[] {
  return [header, ...header.split(/\s+/).slice(1)]
}
