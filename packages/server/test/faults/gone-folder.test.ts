import { copyFile, rename, rm } from 'node:fs/promises'
import { openStore } from '@throughline/store'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { ask, problemOf, sendJson, stop, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { loggedLines } from '@throughline/testing/server/logged-lines'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

const losses: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
  ['a data folder that is deleted', folder => rm(folder, { recursive: true })],
  ['a data folder that is moved', folder => rename(folder, `${folder}-moved`)],
  [
    'a database file that is replaced',
    async folder => {
      await copyFile(`${folder}/throughline.sqlite`, `${folder}/copy`)
      await rename(`${folder}/copy`, `${folder}/throughline.sqlite`)
    },
  ],
  ['a -wal file that is deleted', folder => rm(`${folder}/throughline.sqlite-wal`)],
]

describe('is noticed while a run goes on: the run ends by name, and nothing new is taken:', () => {
  test.each(losses)('%s', async (_, lose) => {
    await using world = await startInFolder()
    await using stream = new SseBytes(await ask(world.url))
    await stream.until('Wait')
    await lose(world.folder)

    const shown = valuesOf(await stream.rest())
    expect(shown.at(-1)).toEqual({
      type: 'abort',
      reason: 'The data of the server was moved or deleted, so this answer is not kept.',
    })
    const refusals = await Promise.all([
      fetch(`${world.url}/health`),
      submit(world.url, { messageId: 'next' }),
      ask(world.url, { chatId: 'other' }),
      sendJson(`${world.url}/api/chats`, { id: 'new' }),
    ])
    for (const refusal of refusals) {
      const problem = await problemOf(refusal)
      expect(problem).toMatchObject({ status: 503, code: 'store-gone' })
      expect(JSON.stringify(problem)).not.toContain(world.folder)
    }
    expect(await (await stop(world.url)).json()).toEqual({ result: 'already-ended' })
    // The operator learns once what is gone, and what to do.
    const told = world.lines.filter(({ msg }) => String(msg).includes('was deleted, moved or replaced'))
    expect(told).toMatchObject([{ level: 50, msg: expect.stringContaining(world.folder) }])
  })
})

test('a data folder that is moved away and back works again', async () => {
  await using world = await startInFolder()
  await rename(world.folder, `${world.folder}-away`)
  while ((await fetch(`${world.url}/health`)).status === 200);
  expect(await problemOf(await submit(world.url))).toMatchObject({ code: 'store-gone' })
  await rename(`${world.folder}-away`, world.folder)
  while ((await fetch(`${world.url}/health`)).status !== 200);
  expect((await submit(world.url)).status).toBe(202)
})

async function startInFolder() {
  const folder = await temporaryFolder()
  const data = `${folder.path}/data`
  const store = await openStore(data)
  const { logger, lines } = loggedLines()
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  const server = await startServer({ store, agents: [agent], logger, port: 0 })
  return {
    url: server.url,
    folder: data,
    lines,
    async [Symbol.asyncDispose]() {
      await server.close()
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
