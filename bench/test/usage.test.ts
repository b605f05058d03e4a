import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const bench = (...words: readonly string[]) => promisify(execFile)(process.execPath, [main, ...words])

test('--help prints the sections and measures nothing', async () => {
  const { stdout } = await bench('--help')
  expect(stdout).toMatch(
    /^Usage: npm run bench -- .*\[growth\].*\n +npm run bench -- load .*\n +npm run bench -- scale .*\n +npm run bench -- layers .*\n$/,
  )
})

test('a section that does not exist is told in one sentence', async () => {
  await expect(bench('flod')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no section "flod"\. Usage: .*\n$/),
  })
})

test('a scenario of the load that does not exist is told in one sentence', async () => {
  await expect(bench('load', 'runz')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no scenario "runz"\. There are runs, command, append, .*\n$/),
  })
})

test('a scenario of the scale bench that does not exist is told in one sentence', async () => {
  await expect(bench('scale', 'bel')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^There is no scenario "bel"\. There are append, bell, nodes, takeover\. .*\n$/,
    ),
  })
})

test('a layer that does not exist is told in one sentence', async () => {
  await expect(bench('layers', 'pase')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no scenario "pase"\. There are bypass, models-thread, .*\n$/),
  })
})

test('an option of the scale bench that is no number is told in one sentence', async () => {
  await expect(bench('scale', '--kills', 'many')).rejects.toMatchObject({
    code: 1,
    stderr: '--kills must be a number above 0, not "many".\n',
  })
})

test('an option of the load that does not exist is told in one sentence', async () => {
  await expect(bench('load', '--secondz')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Unknown option '--secondz'.*Usage: .*\n$/),
  })
})
