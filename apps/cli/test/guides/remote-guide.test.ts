import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeSse, textOf } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startChildServer } from '@throughline/testing/server/child-server'
import { startGuideProgram } from '@throughline/testing/server/guide-program'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('with the configuration in the guide, the service answers instead of a model', async () => {
  await using folder = await guideFolder()
  await using service = await startOldEndpoint()
  await using server = await startChildServer(
    join(folder.path, 'data'),
    { SUPPORT_URL: service.url, SUPPORT_KEY: 'the-key-of-support' },
    folder.path,
  )
  await (await ask(server.url)).text()
  const answer = await loadAnswer(server.url)
  expect(textOf(answer)).toBe('The old endpoint answers.')
  expect(answer.metadata).toMatchObject({ status: 'finished', senderName: 'Support' })
  expect(service.keys).toEqual(['Bearer the-key-of-support'])
})

test('the route of the AI SDK in the guide answers through Throughline, and its tokens are counted', async () => {
  await using folder = await guideFolder()
  await using route = await startGuideProgram(folder.path, 'old-server.ts')
  await using server = await startChildServer(
    join(folder.path, 'data'),
    { SUPPORT_URL: `${route.origin}/api/chat` },
    folder.path,
  )
  await (await ask(server.url, { text: 'Hello' })).text()
  const answer = await loadAnswer(server.url)
  expect(textOf(answer)).toContain('You wrote: "Hello"')
  expect(answer.metadata).toMatchObject({
    status: 'finished',
    usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
  })

  await route.end('SIGKILL')
  await (await ask(server.url, { messageId: 'second' })).text()
  expect((await loadAnswer(server.url)).metadata).toMatchObject({
    status: 'failed',
    statusText: 'The service of Support cannot be reached (ECONNREFUSED). Try again in a while.',
  })
})

/** Makes a folder with the configuration and the old server of the guide. */
async function guideFolder() {
  const guide = await readFile(join(root, 'docs/guides/remote-agents.md'), 'utf8')
  const blocks = guide.split('```ts\n').map(text => text.split('```')[0] ?? '')
  const folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), blocks[1] ?? '')
  await writeFile(join(folder.path, 'old-server.ts'), blocks[2] ?? '')
  return folder
}

async function startOldEndpoint() {
  const keys: unknown[] = []
  const chunk = { type: 'text-delta', id: '0', delta: 'The old endpoint answers.' }
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end([JSON.stringify(chunk), '[DONE]'].map(data => encodeSse({ data })).join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The endpoint has no port.')
  return {
    url: `http://127.0.0.1:${address.port}/api/chat`,
    keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
