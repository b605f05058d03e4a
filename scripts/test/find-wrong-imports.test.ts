import { describe, expect, test } from 'vitest'
import { findDeepImports, findStaleRows, findWrongImports, type HouseRules } from '../find-wrong-imports.ts'

const rules: HouseRules = {
  rooms: {
    'base/**': [],
    house: ['house/kitchen'],
    'house/kitchen': ['base/**'],
    'house/cellar/**': ['house/kitchen'],
  },
  foreignModules: { ai: ['base/**'], 'node:*': ['house'] },
  entryPoints: new Map([['@throughline/base', new Map([['a', '@throughline/base/deep/a']])]]),
}

const kitchen = 'packages/house/src/kitchen/cook.ts'
const cellar = 'packages/house/src/cellar/wine/red.ts'
const root = 'packages/house/src/main.ts'

describe('an import is allowed', () => {
  test.each([
    ['inside a room', kitchen, "import { stir } from './stir.ts'"],
    ['inside the folders of one row', cellar, "import { cool } from '../cool.ts'"],
    ['from a room that the row names', cellar, "import { cook } from '../../kitchen/cook.ts'"],
    [
      'from any folder of a package that the row names',
      kitchen,
      "import type { A } from '@throughline/base/deep/a'",
    ],
    ['from outside, if no rule is about it', kitchen, "import { z } from 'zod'"],
    ['from outside, if the rule names the room', root, "import { join } from 'node:path'"],
    [
      'in a file that is in no src folder',
      'packages/house/test/a.test.ts',
      "import { x } from '../src/main.ts'",
    ],
  ])('%s', (_, path, text) => {
    expect(findWrongImports([{ path, text }], rules)).toEqual([])
  })
})

describe('an import is wrong', () => {
  test.each([
    [
      'of a room that the row does not name',
      kitchen,
      "import { x } from '../main.ts'",
      'house/kitchen may import from',
    ],
    ['of a type only', kitchen, "import type { X } from '../main.ts'", 'not from house.'],
    ['that passes something on', kitchen, "export { x } from '../main.ts'", 'not from house.'],
    ['over several lines', kitchen, "import {\n  x,\n  y,\n} from '../main.ts'", 'not from house.'],
    ['for its effect', kitchen, "import '../main.ts'", 'not from house.'],
    ['at run time', kitchen, "const { x } = await import('../main.ts')", 'not from house.'],
    ['of another package by its path', kitchen, "import { a } from '../../../base/src/a.ts'", 'by its name'],
    ['of a test', kitchen, "import { a } from '../../test/a.ts'", 'not from tests'],
    [
      'of a package that the row does not name',
      root,
      "import { a } from '@throughline/base/a'",
      'not from base.',
    ],
    [
      'of a module that is for other rooms',
      kitchen,
      "import { tool } from 'ai'",
      'only base/** may import ai',
    ],
    ['of a part of such a module', kitchen, "import { tool } from 'ai/test'", 'only base/** may import ai'],
    [
      'of one of many such modules',
      kitchen,
      "import { join } from 'node:path'",
      'only house may import node:*',
    ],
  ])('%s', (_, path, text, rule) => {
    const problems = findWrongImports([{ path, text }], rules)
    expect(problems).toEqual([expect.stringContaining(`${path}:1 imports`)])
    expect(problems[0]).toContain(rule)
  })

  test('in the line that is named', () => {
    const text = "import { z } from 'zod'\n\nimport { x } from '../main.ts'\n"
    expect(findWrongImports([{ path: kitchen, text }], rules)[0]).toContain(`${kitchen}:3 imports ../main.ts`)
  })
})

test('a file in a folder without a row is reported', () => {
  const problems = findWrongImports([{ path: 'packages/house/src/attic/box.ts', text: '' }], rules)
  expect(problems).toEqual([expect.stringContaining('the room house/attic is not in the table')])
})

test('rows and entries that no file needs are reported', () => {
  const files = [
    { path: 'packages/base/src/a.ts', text: '' },
    { path: root, text: "import { cook } from './kitchen/cook.ts'" },
    { path: kitchen, text: "import { stir } from './stir.ts'" },
  ]
  expect(findStaleRows(files, rules)).toEqual([
    'scripts/rooms.ts: no file of house/kitchen imports from base/**. Remove it from the row.',
    'scripts/rooms.ts: no file is in the room house/cellar/**. Remove the row.',
  ])
})

describe('an import through an entry point', () => {
  test('counts as one of the room behind the name', () => {
    const text = "import { type a } from '@throughline/base'"
    expect(findWrongImports([{ path: kitchen, text }], rules)).toEqual([])
    expect(findWrongImports([{ path: root, text }], rules)).toEqual([
      expect.stringContaining('not from base/deep.'),
    ])
  })

  test('is the only way into another package', () => {
    const text = "import { a } from '@throughline/base'\nimport { b } from '@throughline/base/deep/b'"
    expect(findDeepImports([{ path: kitchen, text }], rules)).toEqual([
      `${kitchen} imports @throughline/base/deep/b, which is no entry point of its package.`,
    ])
  })
})
