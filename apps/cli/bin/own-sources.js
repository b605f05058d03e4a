// Plain JavaScript, so that an old Node can read it.
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Lets this process run the TypeScript sources when it is in a clone of the repository, where nothing is built. There the
 * packages find each other by the condition `throughline-source` of their package.json files. Returns `false` in an
 * installed package: Node runs no TypeScript in node_modules.
 */
export function useSources() {
  // This file is in the repository only.
  if (!existsSync(new URL('../tsconfig.build.json', import.meta.url))) return false
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'throughline-source'] }),
  })
  return true
}
