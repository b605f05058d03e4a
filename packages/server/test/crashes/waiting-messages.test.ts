import { textOf } from '@throughline/protocol'
import { ask, loadChat, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { linesIn, startCrashing } from '@throughline/testing/server/crashing-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'

const queue = { onBusy: 'queue' }
const ids = ['second', 'third', 'fourth']

test('messages that wait for an answer which goes on after kill -9 begin after its end, once each, in order', async () => {
  await using folder = await temporaryFolder()
  await using first = await startCrashing(folder.path, '--hang')
  await beginAnswer(first.url)
  await queueAll([first.url])
  await first.kill()
  await using next = await startCrashing(folder.path)
  await expectAllAnswered(next.url, folder.path)
})

test('messages that wait on two nodes for an answer which another node goes on with begin after its end, once each, in order', async () => {
  await using database = await testDatabase()
  await using folder = await temporaryFolder()
  await using first = await startCrashing(folder.path, '--hang', `--database=${database.url}`)
  await using second = await startCrashing(folder.path, `--database=${database.url}`)
  await beginAnswer(first.url)
  const sent = await queueAll([second.url, first.url, second.url])
  await first.kill()
  await forgetBeat(database.url)
  await expectAllAnswered(second.url, folder.path)
  // Those who waited on the node that lives have their runs. The others were cut off with their node.
  expect(await Promise.all(sent)).toEqual([202, 'cut off', 202])
})

/** Starts an answer that hangs, and waits until some of it is shown. */
async function beginAnswer(url: string): Promise<void> {
  await using stream = new SseBytes(await ask(url, { text: 'text' }))
  await stream.until('One. Two.')
}

/** Sends messages that wait, one after the other. Returns what became of each request. */
async function queueAll(urls: readonly string[]): Promise<readonly Promise<number | 'cut off'>[]> {
  const sent: Promise<number | 'cut off'>[] = []
  for (const [index, messageId] of ids.entries()) {
    const url = urls[index % urls.length] ?? ''
    const response = submit(url, { messageId, text: messageId, fields: queue })
    sent.push(response.then(({ status }) => status).catch(() => 'cut off'))
    await expect.poll(() => waitingIn(url)).toEqual(ids.slice(0, index + 1))
  }
  return sent
}

async function expectAllAnswered(url: string, folder: string): Promise<void> {
  const statuses = async () =>
    (await loadChat(url)).messages.map(({ metadata }) => metadata?.status ?? 'sent')
  const expected = Array.from({ length: 4 }, () => ['sent', 'finished']).flat()
  await expect.poll(statuses, { timeout: waitLimitMs(), interval: 100 }).toEqual(expected)
  expect(await waitingIn(url)).toEqual([])
  const { messages } = await loadChat(url)
  expect(messages.flatMap(({ role, id }) => (role === 'user' ? [id] : []))).toEqual(['question', ...ids])
  const answers = messages.flatMap(message => (message.role === 'user' ? [] : [textOf(message)]))
  expect(answers).toEqual(['One. Two. \n\nAnd so on.', 'And so on.', 'And so on.', 'And so on.'])
  // The answer that was cut off needed two calls of the model, and each message after it one.
  expect(await linesIn(folder, 'prompts')).toHaveLength(5)
}

const queueBody = z.object({ queue: z.array(z.object({ id: z.string() })) })

async function waitingIn(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/chats/chat/queue`)
  return queueBody.parse(await response.json()).queue.map(({ id }) => id)
}

/** Makes the node of the run dead at once for the others. Otherwise they wait for 15 seconds. */
async function forgetBeat(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `update nodes set seen_at = 0 where id in (select node_id from runs where status = 'running')`,
  )
  await client.end()
}
