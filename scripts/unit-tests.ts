import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const testsGlob = '{packages/*,apps/*,scripts}/test/**/*.test.ts'

/** What makes a test slow: processes, browsers, databases, servers, and properties that are tried with many values. */
const slowModules = [
  /^fast-check$/,
  /^playwright-core$/,
  /^pg$/,
  /^node:(child_process|http|http2|net|sqlite|worker_threads)$/,
  /(^|\/)(start-server|create-throughline|open-store|open-store-at|open-postgres-store|open-sqlite|main)(\.ts)?$/,
  /^@throughline\/(store|server)(\/testing)?$/,
  /^throughline$/,
]

/**
 * Returns the test files that start no process, browser, database or server, and try no random values, as their imports say. The files of tests and of
 * packages/testing are followed, the code that is tested is not. So the list needs no care: a test that begins to use a
 * server leaves it.
 */
export function unitTests(root: string): readonly string[] {
  const known = new Map<string, boolean>()
  const isSlow = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // For imports in a circle.
    known.set(file, false)
    const slow = importsOf(join(root, file)).some(name => {
      if (slowModules.some(pattern => pattern.test(name))) return true
      const next = testCode(root, file, name)
      return next !== undefined && isSlow(next)
    })
    known.set(file, slow)
    return slow
  }
  return globSync(testsGlob, { cwd: root, exclude: name => name.includes('node_modules') })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => !isSlow(file))
    .toSorted()
}

function importsOf(path: string): readonly string[] {
  const code = readFileSync(path, 'utf8').replaceAll(/^import type [^;]*?from '[^']+'$/gm, '')
  return Array.from(code.matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g), ([, name = '']) => name)
}

/** Returns the file of an import, if it is code of tests. */
function testCode(root: string, file: string, name: string): string | undefined {
  const shared = '@throughline/testing/'
  const path = name.startsWith(shared)
    ? `packages/testing/src/${name.slice(shared.length)}.ts`
    : name.startsWith('.')
      ? normalize(join(dirname(file), name))
      : ''
  const isTestCode = path.includes('/test/') || path.startsWith('packages/testing/src/')
  return isTestCode && path.endsWith('.ts') && existsSync(join(root, path)) ? path : undefined
}
