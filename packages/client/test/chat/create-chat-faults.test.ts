import { setImmediate as nextTurn } from 'node:timers/promises'
import { logName } from '@throughline/log'
import { emptyChat, fold, isChatId, isOwnerId, type Message, messagesOf } from '@throughline/protocol'
import { scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { seededFaults, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { patientFetch } from '@throughline/testing/faults/patient-fetch'
import { trySeeds } from '@throughline/testing/faults/try-seeds'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { isSilence } from '../http/is-silence.ts'
import { hasAnswers, idsOf, type RecordedChat, recordChat, textsOf } from './recorded-chat.ts'
import { reactViewer, vueViewer } from './viewers.ts'

const runCount = Number(process.env['FAULT_RUNS'] ?? 24)
// Most of the time is spent waiting for timeouts.
const concurrency = 12

test(
  `whatever the network does, a program, a React page and a Vue page end with what the log says and what is saved (${runCount} seeds)`,
  async () => {
    const counted = countedAgent()
    await using server = await startTestServer({ agents: [counted.agent], heartbeatMs: 100 })
    await trySeeds(runCount, { concurrency }, seed => converse(server, seed))

    expect(counted.runs()).toBe(runCount)
  },
  120_000 + runCount * 1_000,
)

/** Sends a question over a bad network, while two pages follow over other bad networks. */
async function converse(server: TestServer, seed: number): Promise<void> {
  await using proxy = await startFaultProxy(server.url, seededFaults(seed))
  await using reactProxy = await startFaultProxy(server.url, seededFaults(-seed))
  await using vueProxy = await startFaultProxy(server.url, seededFaults(seed + runCount))
  const chatId = `chat-${seed}`
  using chat = recordChat(proxy.url, { id: chatId, ...impatient() })
  await send(chat, 'How is the weather?')
  using inReact = reactViewer({ chatId, url: reactProxy.url, ...impatient() })
  using inVue = vueViewer({ chatId, url: vueProxy.url, ...impatient() })
  const viewers = [chat, inReact, inVue]
  const shown = await Promise.all(viewers.map(viewer => viewer.until(hasAnswers(1))))

  const logged = await foldedLog(server, chatId)
  expect(textsOf(logged)[0]).toBe('How is the weather?')
  expect((await loadChat(server.url, chatId)).messages).toEqual(logged)
  for (const { messages, unsent, error } of shown) {
    expect(messages, `seed ${seed}`).toEqual(logged)
    expect(unsent.size).toBe(0)
    expect(error).toBeUndefined()
  }
  for (const viewer of viewers) assertSound(viewer)
}

/** Options of a client that soon gives a silent connection up, but goes on when the machine is only slow. */
function impatient() {
  return { stallMs: 500, backoff: { firstMs: 5, maxMs: 50 }, onFrame, fetch: patientFetch(isSilence) }
}

const onFrame = (callback: () => void) => void setImmediate(callback)

/** Sends a message, and presses "retry" as a person would when it could not be sent. */
async function send({ store, nextFrame }: RecordedChat, text: string): Promise<void> {
  await store.send(text)
  for (;;) {
    await nextFrame()
    const [messageId] = store.getSnapshot().unsent.keys()
    if (messageId === undefined) return
    await store.retry(messageId)
  }
}

/** Checks that no snapshot has a message twice, and that no message disappears from one snapshot to the next. */
function assertSound({ snapshots }: Pick<RecordedChat, 'snapshots'>): void {
  let before = new Set<string>()
  for (const { messages } of snapshots) {
    const ids = new Set(idsOf(messages))
    expect(ids.size).toBe(messages.length)
    expect([...before].every(id => ids.has(id))).toBe(true)
    before = ids
  }
}

async function foldedLog({ store }: TestServer, chatId: string): Promise<readonly Message[]> {
  const name = logName({ ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, chatId) })
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
