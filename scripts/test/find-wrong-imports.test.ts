import { describe, expect, test } from 'vitest'
import {
  findDeepImports,
  findStaleRows,
  findUnusedTestNames,
  findWildcards,
  findWrongImports,
} from '../rooms/find-wrong-imports.ts'
import type { HouseRules } from '../rooms/imports-of-rooms.ts'

const rules: HouseRules = {
  rooms: {
    base: [],
    house: ['house/kitchen'],
    'house/kitchen': ['base/**'],
    'house/cellar': ['house/kitchen'],
  },
  foreignModules: { ai: ['base/**'], 'node:*': ['house'] },
  entryPoints: new Map([['@throughline/base', new Map([['a', '@throughline/base/deep/a']])]]),
}

const kitchen = 'packages/house/src/kitchen/cook.ts'
const cellar = 'packages/house/src/cellar/red.ts'
const root = 'packages/house/src/main.ts'

describe('an import is allowed', () => {
  test.each([
    ['inside a room', kitchen, "import { stir } from './stir.ts'"],
    ['from a room that the row names', cellar, "import { cook } from '../kitchen/cook.ts'"],
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
    [
      'that another thread runs',
      kitchen,
      "new Worker(new URL('../main.ts', import.meta.url))",
      'not from house.',
    ],
    ['of the door for tests', root, "import { x } from './testing.ts'", 'Import the file behind it.'],
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

test('a folder that has only doors needs no row', () => {
  const door = { path: 'packages/house/src/testing.ts', text: "export { cook } from './kitchen/cook.ts'" }
  const { house: _, ...others } = rules.rooms
  expect(findWrongImports([door], { ...rules, rooms: others })).toEqual([])
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
    'scripts/rooms.ts: no file is in the room house/cellar. Remove the row.',
  ])
})

test('rows are about one room each, and name rooms of their own package one by one', () => {
  const table = {
    'house/**': [],
    house: ['house/**', 'base/**', 'base/deep/**', 'house/kitchen'],
  }
  expect(findWildcards({ rooms: table })).toEqual([
    'scripts/rooms.ts: house/** is many rooms. Write a row for each of them.',
    'scripts/rooms.ts: house names house/**. Name the rooms, or the whole of another package.',
    'scripts/rooms.ts: house names base/deep/**. Name the rooms, or the whole of another package.',
  ])
})

test('a door that does more than pass on is reported', () => {
  const door = { path: 'packages/log/src/index.ts', text: '' }
  const rulesOfLog = { ...rules, entryPoints: new Map([['@throughline/log', new Map<string, string>()]]) }
  const good =
    "// The door, with `export const`.\n\n/** @public */\nexport {\n  a,\n  type B,\n} from './a.ts'\nexport * from './b.ts'\n"
  expect(findWrongImports([{ ...door, text: good }], rulesOfLog)).toEqual([])
  expect(findWrongImports([{ ...door, text: `${good}export const c = 1\n` }], rulesOfLog)).toEqual([
    'packages/log/src/index.ts: a door only passes on what files behind it export. Move the code to one.',
  ])
})

test('an import of a door of the own package is reported', () => {
  const file = { path: 'packages/log/src/reader.ts', text: "import { a } from './index.ts'" }
  const rulesOfLog = {
    ...rules,
    rooms: { log: [] },
    entryPoints: new Map([['@throughline/log', new Map<string, string>()]]),
  }
  expect(findWrongImports([file], rulesOfLog)).toEqual([
    expect.stringContaining('Import the file behind it.'),
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

test('a name in a door for tests that no other package imports is reported', () => {
  const door = {
    path: 'packages/base/src/testing.ts',
    specifier: '@throughline/base/testing',
    text: "export { a, type B } from './deep/a.ts'\nexport { c } from './c.ts'",
  }
  const users = [
    { path: 'bench/a.ts', text: "import { type B, a } from '@throughline/base/testing'" },
    { path: 'bench/c.ts', text: "import { c } from '@throughline/base'" },
  ]
  expect(findUnusedTestNames([door], users)).toEqual([
    'packages/base/src/testing.ts: no other package imports c for its tests. Remove it from the door.',
  ])
})
