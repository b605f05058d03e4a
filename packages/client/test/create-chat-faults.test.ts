import { setImmediate as nextTurn } from 'node:timers/promises'
import { logName } from '@throughline/log/log-store'
import { emptyChat, messagesOf } from '@throughline/protocol/chat-state'
import { fold } from '@throughline/protocol/fold'
import { isChatId, isOwnerId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import { loadChat } from '@throughline/testing/chat-requests'
import { seededFaults, startFaultProxy } from '@throughline/testing/fault-proxy'
import { idOf } from '@throughline/testing/id-of'
import { scriptedAgent, textToolText } from '@throughline/testing/scripted-agent'
import { startTestServer, type TestServer } from '@throughline/testing/test-server'
import { expect, test } from 'vitest'
import { hasAnswers, idsOf, type RecordedChat, recordChat, textsOf } from './recorded-chat.ts'

const runCount = Number(process.env['FAULT_RUNS'] ?? 150)
const concurrency = 25

test(`whatever the network does, every page ends with what the log says and what is saved (${runCount} seeds)`, async () => {
  const counted = countedAgent()
  await using server = await startTestServer({ agents: [counted.agent], heartbeatMs: 100 })
  const seeds = Array.from({ length: runCount }, (_, index) => index + 1)
  const worker = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await converse(server, seed)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))

  expect(counted.runs()).toBe(2 * runCount)
}, 600_000)

/** Two questions over a bad network, while somebody else looks on over another one. */
async function converse(server: TestServer, seed: number): Promise<void> {
  await using proxy = await startFaultProxy(server.url, seededFaults(seed))
  await using otherProxy = await startFaultProxy(server.url, seededFaults(-seed))
  const options = { id: `chat-${seed}`, stallMs: 500 }
  using chat = recordChat(proxy.url, options)
  await send(chat, 'First')
  using other = recordChat(otherProxy.url, options)
  await chat.until(hasAnswers(1))
  await send(chat, 'Second')
  const shown = await Promise.all([chat.until(hasAnswers(2)), other.until(hasAnswers(2))])

  const logged = await foldedLog(server, options.id)
  expect(textsOf(logged).filter((_, index) => index % 2 === 0)).toEqual(['First', 'Second'])
  expect((await loadChat(server.url, options.id)).messages).toEqual(logged)
  for (const { messages, unsent, error } of shown) {
    expect(messages, `seed ${seed}`).toEqual(logged)
    expect(unsent.size).toBe(0)
    expect(error).toBeUndefined()
  }
  assertSound(chat)
  assertSound(other)
}

/** Sends, and sends again what did not get through, as a person would. */
async function send({ store, nextFrame }: RecordedChat, text: string): Promise<void> {
  await store.send(text)
  for (;;) {
    await nextFrame()
    const [messageId] = store.getSnapshot().unsent.keys()
    if (messageId === undefined) return
    await store.retry(messageId)
  }
}

/** In no snapshot is a message there twice, and none that was shown is gone in the next. */
function assertSound({ snapshots }: RecordedChat): void {
  let before = new Set<string>()
  for (const { messages } of snapshots) {
    const ids = new Set(idsOf(messages))
    expect(ids.size).toBe(messages.length)
    expect([...before].every(id => ids.has(id))).toBe(true)
    before = ids
  }
}

async function foldedLog({ store }: TestServer, chatId: string): Promise<readonly Message[]> {
  const name = logName(idOf(isOwnerId, 'local'), idOf(isChatId, chatId))
  const { epoch } = await store.log.open(name)
  const entries = await store.log.read(name, { epoch, seq: 0 }, 10_000)
  return messagesOf(entries.reduce(fold, emptyChat()))
}

function countedAgent() {
  let runs = 0
  const agent = scriptedAgent('assistant', async function* () {
    runs += 1
    for (const event of textToolText) {
      yield event
      await nextTurn()
    }
  })
  return { agent, runs: () => runs }
}
