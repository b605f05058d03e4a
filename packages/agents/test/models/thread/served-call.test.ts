import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { EventBatch } from '../../../src/models/thread/event-batch.ts'
import { ServedCall } from '../../../src/models/thread/served-call.ts'
import { type CallEvent, maxPartsUnderWay } from '../../../src/models/thread/thread-messages.ts'

test('a call reads no further than its owner can take, and goes on when parts were read', async () => {
  const { model, events, call, wasCancelled } = endlessCall()
  const run = call.run(() => model, { prompt: [] })
  await expect.poll(() => partsIn(events)).toBe(maxPartsUnderWay)
  await manyTurns()
  expect(partsIn(events)).toBe(maxPartsUnderWay)
  call.taken(100)
  await expect.poll(() => partsIn(events)).toBe(maxPartsUnderWay + 100)
  await manyTurns()
  expect(partsIn(events)).toBe(maxPartsUnderWay + 100)
  call.abort()
  await run
  expect(wasCancelled()).toBe(true)
})

test('a part that cannot be sent fails its own call, and no other', async () => {
  const sent: CallEvent[] = []
  const batch = new EventBatch(events => sent.push(...structuredClone(events)))
  const raw = (rawValue: unknown): LanguageModelV4StreamPart => ({ type: 'raw', rawValue })
  batch.add({ call: 1, part: raw('one') })
  batch.add({ call: 2, part: raw(() => undefined) })
  batch.add({ call: 3, part: raw('three') })
  await expect.poll(() => sent).toHaveLength(3)
  expect(sent).toMatchObject([
    { call: 1, part: { rawValue: 'one' } },
    { call: 2, failure: { isError: true, name: 'DataCloneError' } },
    { call: 3, part: { rawValue: 'three' } },
  ])
})

function endlessCall() {
  const events: CallEvent[] = []
  let isCancelled = false
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    pull: controller => controller.enqueue({ type: 'text-delta', id: '1', delta: 'a' }),
    cancel() {
      isCancelled = true
    },
  })
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) })
  const call = new ServedCall(1, new EventBatch(sent => events.push(...sent)))
  return { model, events, call, wasCancelled: () => isCancelled }
}

function partsIn(events: readonly CallEvent[]): number {
  return events.filter(event => 'part' in event).length
}

/** Long enough for hundreds of parts, if they could come. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise(resolve => setImmediate(resolve))
}
