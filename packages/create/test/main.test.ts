import { join } from 'node:path'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { main } from '../src/main.ts'

test('it says what it made, what to do next, and where to put a key', async () => {
  await using folder = await temporaryFolder()
  const { code, said } = await run([join(folder.path, 'my-app'), '--template', 'express'])
  expect(code).toBe(0)
  expect(said).toMatch(
    /^Made my-app \(express\)\. Now:\n\n {2}cd .*my-app\n {2}npm install\n {2}npm run dev\n/,
  )
  expect(said).toContain('copy .env.example to .env and put your key there')
})

test('it lists its templates', async () => {
  expect(await run(['--help'])).toEqual({ code: 0, said: expect.stringContaining('react, next, express') })
})

test.each([
  [['my-app', '--template', 'vue'], 'There is no template "vue".'],
  [['my-app', 'next'], 'npm create throughline my-app -- --template next'],
  [['my-app', '--tmplate', 'next'], `Unknown option '--tmplate'`],
])('%j is refused with one sentence, and the exit code is 1', async (words, expected) => {
  expect(await run(words)).toEqual({ code: 1, said: expect.stringContaining(expected) })
})

async function run(words: readonly string[]): Promise<{ code: number; said: string }> {
  const lines: string[] = []
  const say = (text: string) => void lines.push(text)
  const code = await main(words, { output: { log: say, error: say } })
  return { code, said: lines.join('\n') }
}
