import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { SettingError } from '../setting-error.ts'
import { assertConfig } from './check-config.ts'
import { importConfig } from './import-config.ts'

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
