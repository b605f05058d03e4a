import { isToolPart } from '@throughline/protocol'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { loadChat, submit } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { linesIn, startCrashing } from '@throughline/testing/server/crashing-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

test('when a node is killed, a sub-agent of a sub-agent goes on waiting for its approval on another node', async () => {
  await using database = await testDatabase()
  await using folder = await temporaryFolder()
  const flag = `--database=${database.url}` as const
  await using first = await startCrashing(folder.path, flag)
  await using second = await startCrashing(folder.path, flag)
  await submit(first.url, { text: 'nest' })
  await using log = new SseBytes(await fetch(`${second.url}/api/chats/chat/log`))
  await log.until('"tool-approval-request"')
  await first.kill()

  const marked = await marksAfter(log, 3)
  const decided = await decide(second.url, approvalIn(log.bytes), { approved: true })
  expect(decided.status).toBe(200)
  const answers = async () => {
    const { messages } = await loadChat(second.url)
    return messages.filter(({ role }) => role === 'assistant')
  }
  await expect
    .poll(async () => (await answers()).map(({ metadata }) => metadata?.status))
    .toEqual(['finished', 'finished', 'finished'])
  const ended = await answers()
  expect(new Set(marked)).toEqual(new Set(ended.map(({ id }) => id)))
  const [worker] = messagesBy(ended, 'worker')
  expect(worker?.metadata?.agent?.depth).toBe(2)
  expect(worker?.parts.find(isToolPart)).toMatchObject({ state: 'output-available', output: { done: 'it' } })
  expect(await linesIn(folder.path, 'effects')).toHaveLength(1)
}, 120_000)

/** Reads until so many messages go on, and returns their ids. */
async function marksAfter(log: SseBytes, count: number): Promise<readonly (string | undefined)[]> {
  for (;;) {
    const lines = `${log.bytes}`.split('\n').filter(line => line.includes('"data-continued"'))
    if (lines.length >= count) return lines.map(line => /"messageId":"([^"]+)"/.exec(line)?.[1])
    await log.more()
  }
}
