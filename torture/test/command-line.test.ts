import { expect, test } from 'vitest'
import { readCommand } from '../src/report/command-line.ts'

test('without counts, the scenarios share five minutes', () => {
  expect(readCommand([])).toEqual({
    only: [],
    seed: 1,
    minutes: 5,
    cases: Infinity,
    counts: {},
    record: false,
  })
})

test('with counts or cases, the time has no bound unless it is given', () => {
  expect(readCommand(['--kills', '20', '--damaged', '3'])).toMatchObject({
    counts: { kills: 20, 'damaged stores': 3 },
    minutes: undefined,
  })
  expect(readCommand(['--node-kills', '200', '--node-pauses', '50'])).toMatchObject({
    counts: { 'node kills': 200, 'node pauses': 50 },
  })
  expect(readCommand(['--partitions', '40', '--passing-errors', '60'])).toMatchObject({
    counts: { partitions: 40, 'passing errors': 60 },
  })
  expect(readCommand(['--restores', '3', '--skews', '40', '--poisons', '2'])).toMatchObject({
    counts: { restores: 3, skews: 40, poisons: 2 },
  })
  expect(readCommand(['--rolling-restarts', '20'])).toMatchObject({ counts: { 'rolling restarts': 20 } })
  expect(readCommand(['--only', 'races', '--seed', '9', '--cases', '1'])).toMatchObject({
    only: ['races'],
    seed: 9,
    cases: 1,
    minutes: undefined,
  })
  expect(readCommand(['--kills', '20', '--minutes', '2'])).toMatchObject({ minutes: 2 })
})

test('a word that it does not know, and a number that is none, are refused', () => {
  expect(() => readCommand(['--kils', '3'])).toThrow('--kils')
  expect(() => readCommand(['--kills', 'many'])).toThrow('--kills needs a number, not "many".')
})
