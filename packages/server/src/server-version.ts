import { readFileSync } from 'node:fs'

/** Returns the version of this package; `undefined` when a bundler has taken its `package.json` away. */
export function serverVersion(): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}
