import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { layers } from './layers.ts'

// Loaded before everything else in each process and thread of a server that is measured. It puts the stand-ins into the places
// of the modules of one layer, and writes down which ones. So the product needs no switch for its layers.
const { BENCH_WITHOUT_LAYER = '', BENCH_REPLACED } = process.env
const root = new URL('../../../', import.meta.url)
const standIns = new URL('./stand-ins/', import.meta.url).href
const replacements = new Map(
  layers
    .filter(({ name }) => name === BENCH_WITHOUT_LAYER)
    .flatMap(({ modules }) => Object.entries(modules))
    .map(([module, standIn]) => [
      new URL(module, root).href,
      { module, url: new URL(standIn, standIns).href },
    ]),
)

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const replacement = replacements.get(resolved.url)
    // A stand-in may import what it stands in for.
    if (replacement === undefined || context.parentURL?.startsWith(standIns)) return resolved
    if (BENCH_REPLACED !== undefined) appendFileSync(BENCH_REPLACED, `${replacement.module}\n`)
    return { ...resolved, url: replacement.url }
  },
})
