import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { UsageError } from '../usage-error.ts'
import type { Layer } from './layers.ts'

const root = new URL('../../../', import.meta.url)
const standIns = new URL('./stand-ins/', import.meta.url)
const preload = new URL('./without-layer.ts', import.meta.url)
const table = 'bench/src/layers/layers.ts'

/** Throws a `UsageError` when a module of a layer, or its stand-in, is not where the table says. */
export function assertModules({ name, modules }: Pick<Layer, 'name' | 'modules'>): void {
  for (const [module, standIn] of Object.entries(modules)) {
    if (!existsSync(new URL(module, root)))
      throw new UsageError(`The layer "${name}" has the module ${module}, which is not there. Mend ${table}.`)
    if (!existsSync(new URL(standIn, standIns)))
      throw new UsageError(
        `The layer "${name}" has the stand-in ${standIn}, which is not there. Mend ${table}.`,
      )
  }
}

/**
 * Returns the environment of a server with all layers, or without one of them. Both load the hook, so that it costs both the
 * same. `replaced` is the file in which the server writes down what it replaces.
 */
export function serverEnv(
  without: Pick<Layer, 'name'> | undefined,
  replaced: string,
): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: [process.env['NODE_OPTIONS'], `--import=${preload.href}`].join(' ').trim(),
    BENCH_WITHOUT_LAYER: without?.name ?? '',
    BENCH_REPLACED: replaced,
  }
}

/** Throws when a server without a layer has not replaced all of its modules: it would have been compared with itself. */
export async function assertReplaced(
  { name, modules }: Pick<Layer, 'name' | 'modules'>,
  replaced: string,
): Promise<void> {
  const found = (await readFile(replaced, 'utf8').catch(() => '')).split('\n')
  const missing = Object.keys(modules).find(module => !found.includes(module))
  if (missing !== undefined)
    throw new Error(
      `The server without "${name}" never loaded ${missing}, so nothing was left out. Mend ${table}, or the goals of the layer.`,
    )
}
