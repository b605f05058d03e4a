import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readEntryPoints } from '../entry-points.ts'

const root = new URL('../../', import.meta.url)
const tests = globSync('{packages,apps}/*/test/types/*.test-d.ts', { cwd: fileURLToPath(root) }).map(path =>
  readFileSync(new URL(path.replaceAll('\\', '/'), root), 'utf8'),
)
// What is internal may change with every version.
const entryPoints = [...readEntryPoints(root)].filter(([specifier]) => !specifier.endsWith('/internal'))

// `tsc` compiles these files, which is the test. Here is only whether they are complete.
test.each(entryPoints)('every public name of %s is in a test of its type', (specifier, names) => {
  if (tests.some(text => text.includes(`typeof import('${specifier}')`))) return
  const expectations = tests
    .filter(text => text.includes(`} from '${specifier}'\n`))
    .map(text => text.slice(text.indexOf('\n\n')))
    .join('')
  expect([...names.keys()].filter(name => !new RegExp(`\\b${name}\\b`).test(expectations))).toEqual([])
})
