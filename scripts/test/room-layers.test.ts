import { describe, expect, test } from 'vitest'
import { findFullFolders } from '../rooms/find-full-folders.ts'
import { findKnots, tableGraph } from '../rooms/find-knots.ts'
import { packageGraph, type RoomGraph, roomGraph } from '../rooms/imports-of-rooms.ts'
import { layersOf, withLayers } from '../rooms/layers.ts'

const rules = {
  rooms: {},
  foreignModules: {},
  entryPoints: new Map([['@throughline/base', new Map([['a', '@throughline/base/deep/a']])]]),
}

describe('the graph of rooms', () => {
  test('has imports of types, those that are made later, those of threads, and what is behind a door', () => {
    const files = [
      { path: 'packages/house/src/main.ts', text: "import type { C } from './kitchen/cook.ts'" },
      { path: 'packages/house/src/kitchen/cook.ts', text: "const { w } = await import('../cellar/wine.ts')" },
      { path: 'packages/house/src/cellar/wine.ts', text: "new URL('../attic/thread.ts', import.meta.url)" },
      { path: 'packages/house/src/attic/thread.ts', text: "import { a } from '@throughline/base'" },
    ]
    expect(plain(roomGraph(files, rules))).toEqual({
      house: ['house/kitchen'],
      'house/kitchen': ['house/cellar'],
      'house/cellar': ['house/attic'],
      'house/attic': ['base/deep'],
    })
  })

  test('has nothing of what doors pass on', () => {
    const files = [{ path: 'packages/base/src/testing.ts', text: "export { a } from './deep/a.ts'" }]
    expect(plain(roomGraph(files, rules))).toEqual({})
  })

  test('can be made of packages', () => {
    const graph = graphOf({
      'house/kitchen': ['house', 'base/deep'],
      house: [],
      'base/deep': ['base'],
      base: [],
    })
    expect(plain(packageGraph(graph))).toEqual({ house: ['base'], base: [] })
  })
})

describe('a knot', () => {
  test('of two rooms is reported with the files that tie it', () => {
    const graph = graphOf({ a: ['b'], b: ['a', 'c'], c: [], top: ['a'] })
    expect(findKnots(graph)).toEqual([
      'a and b import each other. Move what they share into a room below them.\n  a.ts imports from b\n  b.ts imports from a',
    ])
  })

  test('of more rooms is reported as a circle', () => {
    const graph = graphOf({ a: ['b'], b: ['c'], c: ['a'], top: ['b'] })
    expect(findKnots(graph)).toEqual([expect.stringMatching(/^a and b and c import each other/)])
  })

  test('is found in the table', () => {
    const rooms = { a: ['b', 'other/**'], b: ['a'] }
    expect(findKnots(tableGraph({ rooms }))).toEqual([expect.stringMatching(/^a and b import each other/)])
  })

  test('is not what a room imports from twice', () => {
    expect(findKnots(graphOf({ a: ['b', 'c'], b: ['c'], c: [] }))).toEqual([])
  })
})

describe('the layers', () => {
  test('begin with the rooms that import nothing, and a room is above all that it imports', () => {
    expect(layersOf(graphOf({ roof: ['floor', 'cellar'], floor: ['cellar'], cellar: [], shed: [] }))).toEqual(
      {
        layers: [['cellar', 'shed'], ['floor'], ['roof']],
        knotted: [],
      },
    )
  })

  test('are written between their marks, the highest first, and no package knows of those of others', () => {
    const page = 'before\n<!-- layers: npm run draw writes this -->\nold\n<!-- /layers -->\nafter\n'
    const graph = graphOf({
      house: ['house/attic', 'base'],
      'house/attic': ['base/deep'],
      base: ['base/deep'],
      'base/deep': [],
    })
    const written = withLayers(page, graph)
    expect(written).toBe(
      [
        'before',
        '<!-- layers: npm run draw writes this -->',
        '',
        '```',
        'packages   2  house',
        '           1  base',
        '',
        'house      2  src',
        '           1  attic',
        '',
        'base       2  src',
        '           1  deep',
        '```',
        '',
        '<!-- /layers -->',
        'after',
        '',
      ].join('\n'),
    )
    expect(withLayers(written, graph)).toBe(written)
  })
})

test('a folder with more than 20 files is reported, and what is in folders below does not count', () => {
  const files = (count: number, folder: string) =>
    Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`)
  expect(findFullFolders([...files(20, 'a'), ...files(20, 'a/b')])).toEqual([])
  expect(findFullFolders([...files(20, 'a'), ...files(21, 'a/b')])).toEqual([
    'a/b: 21 files in one folder. Find the rooms in it: at most 20.',
  ])
})

function graphOf(edges: Readonly<Record<string, readonly string[]>>): RoomGraph {
  return new Map(
    Object.entries(edges).map(([room, targets]) => [
      room,
      new Map(targets.map(target => [target, `${room}.ts`])),
    ]),
  )
}

function plain(graph: RoomGraph): Record<string, readonly string[]> {
  return Object.fromEntries([...graph].map(([room, targets]) => [room, [...targets.keys()]]))
}
