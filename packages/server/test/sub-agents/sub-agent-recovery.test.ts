import { isEndChunk } from '@throughline/protocol'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

const subAgents = [
  subAgent('lead', { tools: ['note'], allowedSubAgents: ['worker', 'quick'] }),
  subAgent('worker'),
  subAgent('quick'),
]

test('after a restart every agent of the run is ended, the deepest first, and what they said is kept', async () => {
  const model = scriptedModel({
    master: [[saying('I ask. '), asking('lead')]],
    lead: [
      [saying('I lead. '), calling('note', { text: 'x' }), asking('quick')],
      [saying('Quick is done. '), asking('worker')],
    ],
    quick: [[saying('Quickly.')]],
    worker: [
      async function* () {
        yield saying('I work. ')
        await new Promise(() => undefined)
      },
    ],
  })
  await using server = await startDelegation({ model, subAgents })
  await using stream = new SseBytes(await ask(server.url, { form: '?subAgents=separate' }))
  await stream.until('I work.')
  // Another process takes the store over, as after a crash: the first one never ended its run.
  const { store } = server
  await using restarted = await startServer({ store, agents: [], logger: pino({ level: 'silent' }), port: 0 })

  const { messages } = await loadChat(restarted.url)
  const entries = await readLog(restarted.url)
  expect(fromWire(replay(entries))).toEqual(messages)
  const nameOf = (id: string) => messages.find(message => message.id === id)?.metadata?.agent?.name
  const ends = entries.filter(({ chunk }) => isEndChunk(chunk))
  expect(ends.map(({ messageId }) => nameOf(messageId))).toEqual(['quick', 'worker', 'lead', 'master'])
  expect(entries.at(-1)).toBe(ends.at(-1))
  expect(messages.slice(1).map(({ metadata }) => [metadata?.agent?.name, metadata?.status])).toEqual([
    ['master', 'interrupted'],
    ['lead', 'interrupted'],
    ['quick', 'finished'],
    ['worker', 'interrupted'],
  ])
  expect(messagesBy(messages, 'worker')[0]?.parts).toMatchObject([{}, { text: 'I work. ', state: 'done' }])
  expect(JSON.stringify(messages)).not.toMatch(/"(streaming|running|input-available)"/)
})
