import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SettingError } from '../settings/setting-error.ts'
import { assertConfig } from './check-config.ts'
import type { Config } from './config.ts'

/**
 * Returns the configuration in a folder, `{}` if there is none. Throws a SettingError for a configuration that
 * cannot be used.
 */
export async function loadConfig(folder: string): Promise<Config> {
  const path = resolve(folder, 'throughline.config.ts')
  if (!existsSync(path)) return {}
  const { default: config } = await importConfig(path)
  if (config === undefined)
    throw new SettingError(
      'throughline.config.ts',
      'it has no default export. Write "export default defineConfig({ … })".',
    )
  assertConfig(config)
  return config
}

/** Imports a configuration file. Throws a `SettingError` that names the line when the file cannot be loaded. */
async function importConfig(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    throw failureIn(error)
  }
}

function failureIn(error: unknown): SettingError {
  if (!(error instanceof Error)) return new SettingError('throughline.config.ts', sentence(String(error)))
  const line = /throughline\.config\.ts:(\d+)/.exec(error.stack ?? '')?.[1]
  const missing = /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
  const problem =
    missing === undefined
      ? error.message
      : `It imports the package "${missing}", which is not there. Install it`
  return new SettingError(
    `throughline.config.ts${line === undefined ? '' : `, line ${line}`}`,
    sentence(problem),
  )
}

/** Returns a text on one line, with a full stop at its end. */
function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return /[.?!]$/.test(line) ? line : `${line}.`
}
