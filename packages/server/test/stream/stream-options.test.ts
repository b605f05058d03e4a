import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const sentences = ['The first one. ', 'The second one. ', 'The third one. ']

test('text is joined on its way as the options say (R13)', async () => {
  const isFirst = (text: string) => text === sentences[0]
  // The first delta is never held back; the others wait for the end of the text.
  expect(await deltasWith({ batching: { maxDelayMs: 60_000, maxChars: 100_000 } }, isFirst)).toEqual([
    sentences[0],
    `${sentences[1]}${sentences[2]}`,
  ])
  expect(await deltasWith({}, () => true)).toEqual(sentences)
})

test.each([0, 25_001, Number.NaN])('a heartbeat of %d ms is refused (R16)', async heartbeatMs => {
  await expect(startTestServer({ heartbeatMs })).rejects.toThrow(`heartbeatMs is ${heartbeatMs}, and must be`)
})

/** The deltas of an answer whose agent waits, after some of its sentences, until the log has what it said. */
async function deltasWith(
  options: TestServerOptions,
  isAwaited: (text: string) => boolean,
): Promise<readonly string[]> {
  const agent = scriptedAgent('assistant', async function* () {
    for (const text of sentences) {
      yield say(text)
      while (isAwaited(text) && !textOf(await loadAnswer(server.url)).endsWith(text));
    }
    yield finish
  })
  await using server = await startTestServer({ ...options, agents: [agent] })
  await (await ask(server.url)).text()
  return (await readLog(server.url)).flatMap(({ chunk }) =>
    chunk.type === 'text-delta' ? [chunk.delta] : [],
  )
}
