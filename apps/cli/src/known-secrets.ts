import { secretsIn } from '@throughline/agents/errors/hide-secrets'
import type { Config } from './config.ts'
import { settingsFromEnv } from './settings.ts'

/**
 * All secrets that an installation knows of: keys and tokens of the environment, the tokens of its users, and what its
 * configuration sends to MCP servers. They are covered wherever they turn up.
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

/** `Bearer abc` is a secret, and `abc` alone is one too. */
function credentialsIn(header: string): readonly string[] {
  return [header, ...header.split(/\s+/).slice(1)]
}
