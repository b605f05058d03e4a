import type { ToolFactory } from '@throughline/agents'
import { didYouMean } from '@throughline/protocol/internal'
import type { Config } from '../config.ts'
import { refuse } from './checks.ts'

/**
 * Returns the tools, and marks those whose calls may be repeated after a crash. Throws a `SettingError` for a key of no
 * tool. A tool that is only missing for now is no error.
 */
export function withIdempotent(
  tools: readonly ToolFactory[],
  { idempotent = [] }: Config,
  whyAbsent: (key: string) => string | undefined,
): readonly ToolFactory[] {
  const keys = tools.map(({ key }) => key)
  for (const key of idempotent) {
    if (!keys.includes(key) && whyAbsent(key) === undefined)
      refuse('idempotent', `there is no tool ${JSON.stringify(key)}. ${didYouMean(key, keys)}`)
  }
  return tools.map(factory => (idempotent.includes(factory.key) ? { ...factory, idempotent: true } : factory))
}
