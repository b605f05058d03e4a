import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { startProgram } from '../apps/cli/test/start-program.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

test('the agent of createAgent in the guide finds the order', async () => {
  await using server = await serveGuide(0)
  await (await ask(server.url)).text()
  expect((await loadAnswer(server.url)).parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text' },
    { type: 'tool-find_order', state: 'output-available', output: { number: '7', state: 'on its way' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Your order is on its way.' },
  ])
})

test('the graph in the guide says what its nodes write and what its model says', async () => {
  await using server = await serveGuide(1)
  await (await ask(server.url)).text()
  expect((await loadAnswer(server.url)).parts).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'step-start' },
    { type: 'text', text: 'It costs 20 euros.' },
  ])
})

test('the order in the guide is cancelled after the approval', async () => {
  await using server = await serveGuide(2)
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"type":"tool-approval-request"')
  await stream.until('"approvalId":')
  await decide(server.url, approvalIn(stream.bytes), { approved: true })
  await stream.until('[DONE]')
  expect((await loadAnswer(server.url)).parts).toContainEqual(
    expect.objectContaining({ type: 'tool-cancel_order', output: 'The order is cancelled.' }),
  )
})

/** Starts a server with the configuration in one code block of the guide, counted from 0. */
async function serveGuide(block: number) {
  const folder = await temporaryFolder()
  const guide = await readFile(join(root, 'docs/guides/langgraph.md'), 'utf8')
  const code = guide.split('```ts\n')[block + 1]?.split('```')[0] ?? ''
  await linkPackages(join(folder.path, 'node_modules'))
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), code)
  const server = startProgram(['serve'], { PORT: '0', THROUGHLINE_LOG: 'warn' }, { cwd: folder.path })
  const [, url = ''] = /listens at (\S+)/.exec(await server.until(' with the model')) ?? []
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.signal('SIGTERM')
      await server.ended
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Makes a folder with our packages and LangChain's, as an installation has it. */
async function linkPackages(folder: string): Promise<void> {
  await mkdir(folder)
  for (const name of ['throughline', '@throughline'])
    await symlink(join(root, 'node_modules', name), join(folder, name), 'dir')
  const foreign = join(root, 'integrations/langgraph/node_modules')
  const names = (await readdir(foreign)).filter(name => !name.startsWith('.'))
  for (const name of names) await symlink(join(foreign, name), join(folder, name), 'dir')
}
