import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textOf } from '@throughline/protocol/message'
import { encodeSse } from '@throughline/protocol/sse'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startChildServer } from '@throughline/testing/server/child-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('with the configuration in the guide, the service answers instead of a model', async () => {
  const guide = await readFile(join(root, 'docs/guides/remote-agents.md'), 'utf8')
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder.path, 'throughline.config.ts'),
    guide.split('```ts\n')[1]?.split('```')[0] ?? '',
  )
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
