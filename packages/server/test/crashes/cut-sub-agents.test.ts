import { toolFactory } from '@throughline/agents'
import {
  chatFrom,
  type Entry,
  fold,
  isEndChunk,
  type Message,
  messagesOf,
  parseEntry,
} from '@throughline/protocol'
import { type AnswerPlan, plannedModel } from '@throughline/testing/agent/planned-model'
import { dieAtEntry } from '@throughline/testing/faults/die-at-entry'
import { decide } from '@throughline/testing/http/approval-requests'
import { loadChat, submit } from '@throughline/testing/http/chat-requests'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { tool } from 'ai'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../src/start-server.ts'
import { anyWork, plansOf, type Work } from './any-delegation.ts'

const nested: Work = {
  steps: [
    [
      { work: { steps: [[{ work: { steps: [[{ work: { steps: [[{ tool: 'remove' }]] } }]] } }]] } },
      { work: { steps: [[{ tool: 'look' }, { tool: 'pay' }]] } },
    ],
  ],
}

/** With DEATH_STEP=1 the process dies at every entry of the log, by default at every third one. */
const deathStep = Number(process.env['DEATH_STEP'] ?? 3)

test('an answer with sub-agents three deep finishes wherever its process dies, and so do all of them', async () => {
  const plans = plansOf(nested, 'Task')
  let next = 0
  let hasOutlived = false
  // Several at once: each waits for its disk most of the time.
  const lane = async () => {
    while (!hasOutlived) {
      const count = next
      next += deathStep
      if ((await diesAt(count, plans)) === 'outlived') hasOutlived = true
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}, 600_000)

test('so does any answer with sub-agents', async () => {
  await fc.assert(
    fc.asyncProperty(anyWork(3), fc.nat(60), async (work, count) => {
      await diesAt(count, plansOf(work, 'Task'))
    }),
    { numRuns: Number(process.env['DELEGATIONS'] ?? 8) },
  )
}, 600_000)

/** Lets the process of an answer die when the log has so many entries, and another process go on. */
async function diesAt(count: number, plans: ReadonlyMap<string, AnswerPlan>): Promise<'outlived' | 'died'> {
  const effects: string[] = []
  const options = () => ({ ...optionsFor(plans, effects), logger: pino({ level: 'silent' }), port: 0 })
  await using opened = await temporaryStore()
  const { store } = opened
  const dying = dieAtEntry(store, count)
  await using first = await startServer({ ...options(), store: dying.store })
  using _ = { [Symbol.dispose]: () => dying.bury() }
  // The response may never come.
  void submit(first.url, { text: 'Task' }).catch(() => undefined)
  const isOver = await Promise.race([dying.dead.then(() => false), approveAll(first.url).then(() => true)])
  const shown = count === 0 ? [] : await readLog(first.url)
  await using second = isOver ? undefined : await startServer({ ...options(), store })
  const { url } = second ?? first
  const joined = await loadChat(url)
  await approveAll(url)

  const entries = await readLog(url)
  expect(entries.slice(0, shown.length)).toEqual(shown)
  const { messages } = await loadChat(url)
  expect(replay(entries)).toEqual(messages)
  expect(joinedLate(joined, entries)).toEqual(messages)
  checkMessages(messages, plans)
  checkOrder(entries, messages)
  for (const effect of new Set(effects.filter(each => !each.startsWith('look'))))
    expect(effects.filter(each => each === effect)).toHaveLength(1)
  return isOver ? 'outlived' : 'died'
}

/** Approves every call that waits, until the answer has ended. */
async function approveAll(url: string): Promise<void> {
  const approved = new Set<string>()
  await expect.poll(() => loadChat(url).then(({ messages }) => messages.length)).toBeGreaterThan(1)
  const { messages, position } = await loadChat(url)
  const answer = messages.find(({ role }) => role === 'assistant')
  await using log = new SseBytes(
    await fetch(`${url}/api/chats/chat/log?after=${position.replace(/\.\d+$/, '.0')}`),
  )
  for (;;) {
    for (const { messageId, chunk } of entriesIn(log.bytes)) {
      if (messageId === answer?.id && isEndChunk(chunk)) return
      if (chunk.type !== 'tool-approval-request' || approved.has(chunk.approvalId)) continue
      approved.add(chunk.approvalId)
      await decide(url, chunk.approvalId, { approved: true })
    }
    await log.more()
  }
}

function checkMessages(messages: readonly Message[], plans: ReadonlyMap<string, AnswerPlan>): void {
  const answers = messages.filter(({ role }) => role === 'assistant')
  expect(answers.map(({ metadata }) => metadata?.status)).toEqual(answers.map(() => 'finished'))
  const said = answers.map(({ parts }) => parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
  const planned = [...plans.values()].map(({ items }) =>
    items.map(item => (item.type === 'say' ? item.text : '')).join(''),
  )
  expect(said.toSorted()).toEqual(planned.toSorted())
  expect(JSON.stringify(messages)).not.toMatch(/"(streaming|running|input-available|approval-requested)"/)
}

/** Every message has one end. A sub-agent works between the call of its caller and the result of that call. */
function checkOrder(entries: readonly Entry[], messages: readonly Message[]): void {
  for (const { id, metadata } of messages.filter(({ role }) => role === 'assistant')) {
    const own = entries.filter(({ messageId }) => messageId === id)
    expect(own.filter(({ chunk }) => isEndChunk(chunk))).toEqual([own.at(-1)])
    const { parent } = metadata ?? {}
    if (parent === undefined) continue
    const ofCall = entries.filter(
      ({ messageId, chunk }) =>
        messageId === parent.messageId && 'toolCallId' in chunk && chunk.toolCallId === parent.toolCallId,
    )
    const called = ofCall.find(({ chunk }) => chunk.type === 'tool-input-available')
    const outputs = ofCall.filter(({ chunk }) => chunk.type === 'tool-output-available')
    expect(outputs).toMatchObject([{ chunk: { output: { ok: true, messageId: id } } }])
    expect(own[0]?.seq).toBeGreaterThan(called?.seq ?? Number.POSITIVE_INFINITY)
    expect(own.at(-1)?.seq).toBeLessThan(outputs[0]?.seq ?? 0)
  }
}

/** Returns what a viewer has who loaded the chat before the end, and followed the log from there. */
function joinedLate(
  { messages, position }: Awaited<ReturnType<typeof loadChat>>,
  entries: readonly Entry[],
): readonly Message[] {
  const seq = Number(/\d+$/.exec(position)?.[0])
  return messagesOf(entries.filter(entry => entry.seq > seq).reduce(fold, chatFrom(messages, seq)))
}

function optionsFor(plans: ReadonlyMap<string, AnswerPlan>, effects: string[]) {
  const effect = (key: string, options: { idempotent?: boolean; needsApproval?: boolean } = {}) =>
    toolFactory(
      key,
      tool({
        description: 'Has an effect.',
        inputSchema: z.object({ task: z.string() }),
        execute: async ({ task }) => {
          effects.push(`${key} ${task}`)
          return { done: task }
        },
      }),
      options,
    )
  const tools = ['look', 'pay', 'remove']
  const { agents = [], ...options } = delegating({
    model: plannedModel((_, question) => plans.get(question) ?? { items: [], pauseMs: 0 }),
    tools: [effect('look', { idempotent: true }), effect('pay'), effect('remove', { needsApproval: true })],
    subAgents: [1, 2, 3].map(depth => subAgent(`depth-${depth}`, { tools, allowedSubAgents: ['*'] })),
    limits: { maxSteps: 200 },
  })
  return { ...options, agents }
}

function entriesIn(bytes: Buffer): readonly Entry[] {
  return sseEventsIn(bytes).flatMap(({ data }) => {
    const parsed = data === undefined ? undefined : parseEntry(data)
    return parsed?.type === 'entry' ? [parsed.entry] : []
  })
}
