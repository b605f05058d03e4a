/**
 * Returns the environment variable with which a process reuses code that earlier processes have compiled. It is empty
 * if the tests have no such cache. See vitest.config.ts.
 */
export function compileCacheEnv(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
