import { disturbNodes } from '@throughline/testing/nodes/disturb-nodes'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const count = Number(process.env['NODE_DEATHS'] ?? 1)

// They mostly wait until a node counts as dead, so they run side by side.
test.concurrent.each([
  ['is killed', 'kill'],
  ['is paused until it counts as dead', 'pause'],
] as const)(
  'when a node %s in the middle of an answer, another one ends the answer once, and all viewers see the same',
  async (_name, how) => {
    await using database = await testDatabase()
    await using folder = await temporaryFolder()
    const answers = await disturbNodes({ how, count, databaseUrl: database.url, folder: folder.path })
    expect(answers).toHaveLength(count)
    for (const { seen, readAgain, numbers, ends, isEndLast } of answers) {
      expect(readAgain).toBe(seen)
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
      expect({ ends, isEndLast }).toEqual({ ends: 1, isEndLast: true })
    }
  },
  60_000 + count * 30_000,
)
