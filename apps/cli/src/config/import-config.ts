import { pathToFileURL } from 'node:url'
import { SettingError } from '../setting-error.ts'

/** Imports a configuration file. Throws a `SettingError` that names the line when the file cannot be loaded. */
export async function importConfig(path: string): Promise<{ readonly default?: unknown }> {
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
