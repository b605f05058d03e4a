// Plain JavaScript, so that an old Node can read it.
import { existsSync } from 'node:fs'
// Bun has no `registerHooks`, and could not load this file if it were imported by name.
import nodeModule from 'node:module'

/**
 * Lets this process run the TypeScript sources when it is in a clone of the repository, where nothing is built. There the
 * packages find each other by the condition `throughline-source` of their package.json files. Returns `false` in an
 * installed package: Node runs no TypeScript in node_modules.
 */
export function useSources() {
  // This file is in the repository only.
  if (!existsSync(new URL('../tsconfig.build.json', import.meta.url))) return false
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'throughline-source'] }),
  })
  return true
}
