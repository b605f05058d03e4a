import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textOf } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { startProgram } from '../start-program.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('the agent without a library of the guide answers on a server', async () => {
  expect(await answerOf(0)).toBe('You asked: Hello')
})

test.each([
  ['ToolLoopAgent', 1],
  ['streamText', 2],
])('the agent of the guide that is made with %s answers on a server', async (_, block) => {
  expect(await answerOf(block)).toContain('Hello! You wrote: "Hello"')
})

/** Starts a server with the configuration in one code block of the guide, counted from 0, and greets its `support`. */
async function answerOf(block: number): Promise<string> {
  await using folder = await temporaryFolder()
  const guide = await readFile(join(root, 'docs/guides/bring-your-agent.md'), 'utf8')
  const code = guide.split('```ts\n')[block + 1]?.split('```')[0] ?? ''
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), code)
  const server = startProgram(['serve'], { PORT: '0', THROUGHLINE_LOG: 'warn' }, { cwd: folder.path })
  const [, url = ''] = /listens at (\S+)/.exec(await server.until(' with the model')) ?? []
  try {
    await (await ask(url, { text: 'Hello', fields: { agent: 'support' } })).text()
    return textOf(await loadAnswer(url))
  } finally {
    server.signal('SIGTERM')
    await server.ended
  }
}
