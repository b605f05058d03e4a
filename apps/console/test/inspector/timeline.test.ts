import { type Chunk, type Entry, finishStep, type Usage } from '@throughline/protocol'
import { messageIdOf, runIdOf, userMessage } from '@throughline/testing/log/entries-of'
import { runEntries } from '@throughline/testing/log/run-entries'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { milestonesOf, usageBy } from '../../src/inspector/timeline/answer-numbers.ts'
import { timelineOf } from '../../src/inspector/timeline/timeline.ts'
import { drawnSpans, ticksFor, zoomedBy, zoomedScroll } from '../../src/inspector/timeline/timeline-scale.ts'
import { durationLabel } from '../../src/text/duration-label.ts'

/** Returns a log from the time, the message and the chunk of each entry. */
function logOf(
  ...all: readonly (readonly [at: number, messageId: string, chunk: Chunk])[]
): readonly Entry[] {
  return all.map(([at, messageId, chunk], index) => ({
    seq: index + 1,
    at,
    runId: runIdOf('run'),
    messageId: messageIdOf(messageId),
    chunk,
  }))
}

const start = (name: string, parent?: { messageId: string; toolCallId: string }): Chunk => ({
  type: 'start',
  messageMetadata: {
    senderName: name,
    agent: {
      kind: parent ? 'sub' : 'master',
      name,
      displayName: name,
      depth: parent ? 1 : 0,
      path: parent ? ['Ada', name] : [name],
    },
    ...(parent && { parent }),
  },
})
const call = (toolCallId: string, toolName: string): Chunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName,
  input: {},
})
const output = (toolCallId: string): Chunk => ({ type: 'tool-output-available', toolCallId, output: {} })
const used = (inputTokens: number, cost: number | null): Usage => ({
  inputTokens,
  outputTokens: 1,
  totalTokens: inputTokens + 1,
  cost,
  byModel: { 'maker:model': { inputTokens, outputTokens: 1, totalTokens: inputTokens + 1, calls: 1, cost } },
})
const stepUsed = { model: 'maker:model', inputTokens: 10, outputTokens: 1, totalTokens: 11, cost: 0.25 }
const finish = (usage: Usage): Chunk => ({ type: 'finish', messageMetadata: { usage } })

const delegation = logOf(
  [100, 'u', userMessage('u', 'Hi')],
  [110, 'a', start('Ada')],
  [120, 'a', { type: 'start-step' }],
  [130, 'a', { type: 'reasoning-delta', id: 'r', delta: 'Hm' }],
  [150, 'a', call('c1', 'subAgent')],
  [160, 'b', start('Bob', { messageId: 'a', toolCallId: 'c1' })],
  [165, 'b', { type: 'start-step' }],
  [170, 'b', call('c2', 'mail')],
  [171, 'b', { type: 'tool-approval-request', toolCallId: 'c2', approvalId: 'ok' }],
  [190, 'b', { type: 'tool-approval-response', approvalId: 'ok', approved: true }],
  [195, 'b', output('c2')],
  [199, 'b', finishStep(stepUsed)],
  [200, 'b', finish(used(10, 0.25))],
  [205, 'a', output('c1')],
  [206, 'a', { type: 'finish-step' }],
  [206, 'a', { type: 'start-step' }],
  [230, 'a', { type: 'text-delta', id: 't', delta: 'Done' }],
  [240, 'a', { type: 'finish-step' }],
  [250, 'a', finish(used(30, 0.75))],
)

test('each agent has a lane with its model calls, tools, sub-agents and waits for approval', () => {
  const { from, to, lanes } = timelineOf(delegation)
  expect([from, to]).toEqual([100, 250])
  const told = lanes.map(({ name, depth, spans }) => ({
    name,
    depth,
    spans: spans.map(span => `${span.kind} ${span.label} ${span.from}-${span.to} @${span.seq}`),
  }))
  expect(told).toEqual([
    {
      name: 'Ada',
      depth: 0,
      spans: ['sub-agent subAgent 150-205 @5', 'model 1 120-150 @3', 'model 2 206-230 @16'],
    },
    { name: 'Bob', depth: 1, spans: ['wait mail 171-190 @9', 'tool mail 170-195 @8', 'model 1 165-170 @7'] },
  ])
})

test('a model call has what its step used, if the log says so', () => {
  const spans = timelineOf(delegation).lanes.flatMap(lane => lane.spans)
  expect(spans.flatMap(({ usage }) => usage ?? [])).toEqual([stepUsed])
})

test('what has not ended yet lasts until now, and says so', () => {
  const { lanes } = timelineOf(delegation.slice(0, 9))
  const open = lanes.flatMap(({ spans }) => spans.filter(({ isOpen }) => isOpen))
  expect(open.map(({ kind, to }) => `${kind} ${to}`).sort()).toEqual([
    'model 150',
    'model 170',
    'sub-agent 171',
    'tool 171',
    'wait 171',
  ])
})

test('two messages of one agent share a lane, unless they are written at the same time', () => {
  const one = start('Bob', { messageId: 'a', toolCallId: 'c1' })
  const other = start('Bob', { messageId: 'a', toolCallId: 'c2' })
  const inTurn = logOf([0, 'b1', one], [1, 'b1', { type: 'finish' }], [2, 'b2', other])
  expect(timelineOf(inTurn).lanes).toHaveLength(1)
  const together = logOf([0, 'b1', one], [1, 'b2', other], [2, 'b1', { type: 'finish' }])
  expect(timelineOf(together).lanes.map(({ name }) => name)).toEqual(['Bob', 'Bob'])
})

test('in any log, every span lies within the picture, every step is a model call, and every call is drawn once', () => {
  fc.assert(
    fc.property(runEntries, fc.array(fc.integer({ min: -50, max: 50 })), (entries, shifts) => {
      const shifted = entries.map((entry, index) => ({ ...entry, at: 1_000 + index + (shifts[index] ?? 0) }))
      const { from, to, lanes } = timelineOf(shifted)
      const spans = lanes.flatMap(lane => lane.spans)
      for (const span of spans) {
        expect(span.from).toBeGreaterThanOrEqual(from)
        expect(span.to).toBeLessThanOrEqual(to)
        expect(span.to).toBeGreaterThanOrEqual(span.from)
      }
      const count = (type: Chunk['type']) => entries.filter(({ chunk }) => chunk.type === type).length
      expect(spans.filter(({ kind }) => kind === 'model')).toHaveLength(count('start-step'))
      expect(new Set(spans.map(({ kind, seq }) => `${kind} ${seq}`)).size).toBe(spans.length)
    }),
  )
})

test('an answer says how long it took to the first token, to the first text and to the end', () => {
  expect(milestonesOf(delegation)).toEqual([
    { messageId: 'a', name: 'Ada', firstTokenMs: 30, firstTextMs: 130, endMs: 150 },
  ])
  expect(milestonesOf(delegation.slice(0, 3))).toEqual([
    { messageId: 'a', name: 'Ada', firstTokenMs: undefined, firstTextMs: undefined, endMs: undefined },
  ])
})

test('what the sub-agents used is counted once, and an unknown price is not taken for nothing', () => {
  const { byAgent, byModel } = usageBy(delegation)
  expect(byAgent.map(({ name, inputTokens, cost }) => [name, inputTokens, cost])).toEqual([
    ['Ada', 20, 0.5],
    ['Bob', 10, 0.25],
  ])
  expect(byModel.map(({ name, inputTokens, cost }) => [name, inputTokens, cost])).toEqual([
    ['maker:model', 30, 0.75],
  ])
  const unknown = usageBy(logOf([0, 'a', start('Ada')], [1, 'a', finish(used(5, null))]))
  expect(unknown.byAgent[0]?.cost).toBeUndefined()
})

test('spans that would touch are drawn as one, and none is lost', () => {
  const span = (from: number) =>
    ({ kind: 'tool', label: 'x', from, to: from + 1, isOpen: false, seq: from }) as const
  const spans = Array.from({ length: 20_000 }, (_, index) => span(index * 2))
  const drawn = drawnSpans(spans, { from: 0, pxPerMs: 600 / 40_000 })
  expect(drawn.length).toBeLessThan(300)
  expect(drawn.reduce((sum, { count }) => sum + count, 0)).toBe(20_000)
  expect(drawnSpans(spans, { from: 0, pxPerMs: 10 })).toHaveLength(20_000)
})

test('a zoom keeps the point under the pointer, and the scale has few marks', () => {
  expect([zoomedBy(1, 0.5), zoomedBy(1, 2), zoomedBy(300, 2)]).toEqual([1, 2, 400])
  expect(zoomedScroll(100, 50, 2)).toBe(250)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 100, max: 3_000 }), (ms, px) => {
      const ticks = ticksFor(ms, px / ms)
      expect(ticks.length).toBeLessThanOrEqual(px / 89 + 1)
    }),
  )
  expect([850, 2_414, 12_340, 185_900].map(durationLabel)).toEqual([
    '850 ms',
    '2.41 s',
    '12.3 s',
    '3 min 5 s',
  ])
})
