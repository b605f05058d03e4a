import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const bench = (word: string) => promisify(execFile)(process.execPath, [main, word])

test('--help prints the sections and measures nothing', async () => {
  const { stdout } = await bench('--help')
  expect(stdout).toMatch(/^Usage: npm run bench -- .*\[fold\].*\n$/)
})

test('a section that does not exist is told in one sentence', async () => {
  await expect(bench('flod')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no section "flod"\. Usage: .*\n$/),
  })
})
