import type { EndStatus, Entry } from '@throughline/protocol'
import type { OutboxItem } from '@throughline/protocol/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinBlocks } from '../../src/cutting/blocks.ts'
import { fenceAfterText } from '../../src/cutting/fences.ts'
import { approvalText } from '../../src/ports/approval-text.ts'
import type { ToolApproval } from '../../src/ports/channel.ts'
import { chunking, pieceLengths, piecesOf, plainAnswer, trickyAnswer } from '../cutting/answer-arbitrary.ts'
import { deliverUntilDone } from './deliver-until-done.ts'
import { FakeChannel, shownApproval, type Treatment } from './fake-channel.ts'
import { MemoryOutbox } from './memory-outbox.ts'
import type { Fault } from './mortal.ts'
import { type Act, reason, runLog, textOfActs } from './run-log.ts'
import { textBefore, withAsks } from './with-asks.ts'

const timeoutMs = 900_000
const numRuns = Number(process.env['RUNS'] ?? 150)

test(
  'whatever the channel does and whenever processes die, all of an answer is shown, once and in order',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarioOf(fc.oneof(plainAnswer, trickyAnswer)), async scenario => {
        const channel = await expectDelivered(scenario, 'blocks')
        expect(channel.problems).toEqual([])
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

// If text only looks like a fence, the next process may cut it into other blocks than the one before.
test(
  'in messages that grow, the same is true of what they say in the end',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarioOf(plainAnswer), async scenario => {
        await expectDelivered(scenario, 'edit')
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

// Text that only looks like a fence is allowed: it is cut once, at the end.
test(
  'in one message at the end, the same is true',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarioOf(fc.oneof(plainAnswer, trickyAnswer)), async scenario => {
        await expectDelivered(scenario, 'final')
      }),
      { numRuns: numRuns / 5 },
    )
  },
  timeoutMs,
)

async function expectDelivered(
  scenario: Scenario,
  streaming: 'blocks' | 'edit' | 'final',
): Promise<FakeChannel> {
  const { acts, status, limits, reading, treatments, lives, idleMs, asks, canShowApprovals } = scenario
  const { maxChars } = limits
  const outbox = new MemoryOutbox()
  const channel = new FakeChannel({ maxChars, treatments, canShowApprovals })
  const log = withAsks(runLog(acts, status), asks)
  const options = { ...limits, streaming, idleMs, isWithTools: true }
  await deliverUntilDone({ log, outbox, channel, options, reading }, lives)

  expect(outbox.advances).toEqual([log.length])
  expectShown(channel, outbox, shownApprovals(outbox.written, { canShowApprovals, maxChars }))
  expectWhole(acts, outbox.written)
  expectAsked(log, outbox.written)
  expectNotice(status, channel)
  for (const text of channel.texts()) {
    expect(text.length).toBeLessThanOrEqual(maxChars)
    expect(fenceAfterText(undefined, text)).toBeUndefined()
  }
  return channel
}

/** The channel shows what was saved, in the same order. The only other messages are lines about tools. */
function expectShown(
  channel: FakeChannel,
  { written }: MemoryOutbox,
  approvals: ReadonlyMap<string, string>,
): void {
  const isTool = (text: string) => text.startsWith('🔧')
  const shown = channel.shown.filter(({ message }) => !isTool(message.text))
  expect(shown.map(({ key, message }) => [key, message.text])).toEqual(
    written.map(({ runId, index, body }) => [`${runId}.${index}`, approvals.get(body) ?? shownOf(body)]),
  )
  expect(shown.map(({ message }) => message.replyTo)).toEqual(
    shown.map((_, index) => (index === 0 ? 'm1' : undefined)),
  )
}

/** The blocks join to the text, to the letter. Files stand where they came. */
function expectWhole(acts: readonly Act[], written: readonly OutboxItem[]): void {
  const payloads = written
    .map(({ body }) => payloadOf(body))
    .filter(({ isStatus, approval }) => isStatus !== true && approval === undefined)
  expectCovered(textOfActs(acts), payloads)
  const files = payloads.flatMap(({ media = [] }) => media)
  expect(files).toEqual(acts.flatMap(act => (act.type === 'file' ? [act.url] : [])))
  for (const [index, act] of acts.entries()) {
    if (act.type !== 'file') continue
    const place = payloads.findIndex(({ media = [] }) => media.includes(act.url))
    expectCovered(textOfActs(acts.slice(0, index)), payloads.slice(0, place))
  }
}

/** Every call that waits is shown once, after the text before it. What became of it is shown later. */
function expectAsked(log: readonly Entry[], written: readonly OutboxItem[]): void {
  const payloads = written.map(({ body }) => payloadOf(body))
  const shown = payloads.flatMap(({ approval }) => (approval === undefined ? [] : [approval]))
  expect(shown.map(({ id, outcome }) => [id, outcome?.approved])).toEqual(
    log.flatMap(({ chunk }): unknown[] => {
      if (chunk.type === 'tool-approval-request') return [[chunk.approvalId, undefined]]
      return chunk.type === 'tool-approval-response' ? [[chunk.approvalId, chunk.approved]] : []
    }),
  )
  for (const { id } of shown) {
    const text = textBefore(log, id)
    const place = payloads.findIndex(({ approval }) => approval?.id === id)
    const isText = ({ approval }: Payload) => approval === undefined
    if (text !== undefined) expectCovered(text, payloads.slice(0, place).filter(isText))
  }
}

/** Returns what the channel shows for each body that is about a call that waits. */
function shownApprovals(
  written: readonly OutboxItem[],
  { canShowApprovals, maxChars }: { readonly canShowApprovals: boolean; readonly maxChars: number },
): ReadonlyMap<string, string> {
  return new Map(
    written.flatMap(({ body }) => {
      const { approval } = payloadOf(body)
      if (approval === undefined) return []
      const shown = canShowApprovals
        ? shownApproval(approval, 'a receipt')
        : approvalText(approval, { maxChars, canDecide: false })
      return [[body, shown] as const]
    }),
  )
}

function expectCovered(text: string, payloads: readonly Payload[]): void {
  const blocks = payloads.filter(({ media }) => media === undefined).map(blockOf)
  const joined = joinBlocks(blocks)
  expect(joined).toBe(text.slice(0, joined.length))
  // Only what shows nothing is in no block: whitespace, or the end of a fence that was closed before.
  expect(text.slice(joined.length)).toMatch(/^\s*(?:(?:`{3,}|~{3,})\s*)?$/)
  // Only a whole line has an indentation.
  const indented = blocks.filter(({ text: shown, reopening }) => reopening === '' && /^\s/.test(shown))
  for (const { before } of indented.filter(block => block !== blocks[0])) expect(before).toMatch(/\n$/)
}

function expectNotice(status: EndStatus, channel: FakeChannel): void {
  const notices = channel.texts().filter(text => text.startsWith('⚠️'))
  expect(notices).toEqual(status === 'finished' || status === 'stopped' ? [] : [`⚠️ ${reason}`])
}

interface Payload {
  readonly text?: string
  readonly before?: string
  readonly reopening?: string
  readonly closing?: string
  readonly media?: readonly string[]
  readonly isStatus?: boolean
  readonly approval?: ToolApproval
}

function payloadOf(body: string): Payload {
  return JSON.parse(body)
}

function blockOf({ before = '', text = '', reopening = '', closing = '' }: Payload) {
  return { before, text, reopening, closing }
}

function shownOf(body: string): string {
  const { text = '', media = [] } = payloadOf(body)
  return [text, ...media].filter(each => each !== '').join('\n')
}

const treatment = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Treatment>('taken') },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Treatment[]>(
      'unavailable',
      'busy',
      'broken',
      'lost',
      'silent',
      'deaf',
      'late',
    ),
  },
)

const fault = fc.constantFrom<Fault[]>('dies before', 'dies after', 'fails before', 'fails after')
const life = fc
  .array(fc.tuple(fc.nat(30), fault), { minLength: 1, maxLength: 3 })
  .map(faults => new Map(faults))

function scenarioOf(answer: fc.Arbitrary<string>) {
  return fc.record({
    acts: actsOf(answer),
    status: fc.constantFrom<EndStatus[]>('finished', 'finished', 'stopped', 'failed', 'interrupted', 'limit'),
    limits: chunking,
    reading: fc.array(
      fc.record({
        entries: fc.integer({ min: 1, max: 40 }),
        afterMs: fc.constantFrom(0, 1, 300, 1_500, 20_000),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    treatments: fc.array(treatment, { maxLength: 15 }),
    lives: fc.array(life, { maxLength: 4 }),
    idleMs: fc.constantFrom(1, 1_000),
    asks: fc.array(fc.record({ at: fc.nat(), after: fc.nat(20), approved: fc.boolean() }), { maxLength: 3 }),
    canShowApprovals: fc.boolean(),
  })
}

function actsOf(answer: fc.Arbitrary<string>): fc.Arbitrary<readonly Act[]> {
  const text = fc.tuple(answer, pieceLengths).map(([whole, lengths]): Act => {
    return { type: 'text', pieces: piecesOf(whole, lengths) }
  })
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: text }, fc.constantFrom('tool', 'file')), { maxLength: 6 })
    .map(list =>
      list.map((act, index) => {
        if (act === 'tool') return { type: 'tool', toolCallId: `${index}` }
        return act === 'file' ? { type: 'file', url: `https://example.com/${index}` } : act
      }),
    )
}

type Scenario = ReturnType<typeof scenarioOf> extends fc.Arbitrary<infer Value> ? Value : never
