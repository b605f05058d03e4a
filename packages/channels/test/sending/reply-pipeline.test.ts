import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { expect, test } from 'vitest'
import { finalPayloads, type ReplyPayload } from '../../src/sending/payloads.ts'
import { createReplyPipeline, type ReplyPipelineOptions } from '../../src/sending/reply-pipeline.ts'
import { FakeClock } from '../fake-clock.ts'

/** A channel whose every send waits for the test. */
function heldChannel(options: Partial<ReplyPipelineOptions> = {}) {
  const clock = new FakeClock()
  const begun: ReplyPayload[] = []
  const sends: (PromiseWithResolvers<void> & { readonly signal: AbortSignal })[] = []
  const debugged: string[] = []
  const pipeline = createReplyPipeline({
    send: (payload, signal) => {
      begun.push(payload)
      const send = { ...Promise.withResolvers<void>(), signal }
      sends.push(send)
      return send.promise
    },
    startTimer: clock.startTimer,
    debug: message => debugged.push(message),
    ...options,
  })
  const settleLast = async (act: 'resolve' | 'reject') => {
    const send = sends.at(-1)
    if (act === 'resolve') send?.resolve()
    else send?.reject(new Error('refused'))
    await settle()
  }
  const confirm = () => settleLast('resolve')
  const refuse = () => settleLast('reject')
  return { clock, begun, sends, pipeline, confirm, refuse, debugged }
}

const piece = (text: string, messageIndex = 0) => ({ text, messageIndex })

test('one message is sent at a time, in order', async () => {
  const { begun, pipeline, confirm } = heldChannel()
  for (const text of ['One', 'Two', 'Three']) pipeline.enqueue({ text })
  await settle()
  expect(begun).toEqual([{ text: 'One' }])
  const flushed = pipeline.flush()
  await confirm()
  expect(begun).toEqual([{ text: 'One' }, { text: 'Two' }])
  await confirm()
  expect(await isPending(flushed)).toBe(true)
  await confirm()
  await flushed
  expect(begun).toHaveLength(3)
  expect(pipeline.hasBuffered()).toBe(false)
})

test('what is seen, waiting and sent are different things', async () => {
  const { begun, pipeline, confirm, clock } = heldChannel()
  pipeline.enqueue({ text: 'One' })
  pipeline.enqueue({ text: ' One ' })
  await settle()
  expect(pipeline.hasBuffered()).toBe(true)
  expect(pipeline.hasSentPayload({ text: 'One' })).toBe(false)
  expect(pipeline.didStream()).toBe(false)
  expect(pipeline.unsentPayloads()).toEqual([{ text: 'One' }])
  await confirm()
  expect(begun).toHaveLength(1)
  expect(pipeline.hasSentPayload({ text: 'One' })).toBe(true)
  expect(pipeline.didStream()).toBe(true)
  expect(pipeline.unsentPayloads()).toEqual([])
  pipeline.enqueue({ text: 'One' })
  await settle()
  expect(begun).toHaveLength(1)
  expect(clock.timerCount).toBe(0)
})

test('the same text is sent twice when it is said twice', async () => {
  const { begun, pipeline, confirm } = heldChannel()
  pipeline.enqueue({ text: 'Ho!', id: '0' })
  pipeline.enqueue({ text: 'Ho!', id: '1' })
  pipeline.enqueue({ text: 'Ho!', id: '1' })
  pipeline.enqueue({ text: 'Ho!', messageIndex: 1 })
  pipeline.enqueue({ text: 'Ho!', messageIndex: 2 })
  for (let count = 0; count < 5; count += 1) await confirm()
  expect(begun).toHaveLength(4)
})

test('a payload counts as sent by what it says, not by which object it is', async () => {
  const { pipeline, confirm } = heldChannel()
  pipeline.enqueue({ text: 'Hello\nthere', media: ['a'], replyTo: '1' })
  await settle()
  await confirm()
  expect(pipeline.hasSentPayload({ text: 'Hello there ', media: ['a'], replyTo: '1' })).toBe(true)
  expect(pipeline.hasSentPayload({ text: 'Hello', media: ['a'], replyTo: '1' })).toBe(false)
})

test('a text counts as sent when the blocks of its message are', async () => {
  const { pipeline, confirm } = heldChannel()
  pipeline.enqueue(piece('One.'))
  pipeline.enqueue(piece('Two.'))
  await settle()
  await confirm()
  expect(pipeline.hasSentPayload(piece('One.\n\nTwo.'))).toBe(false)
  expect(pipeline.unsentOf(piece('One.\n\nTwo.'))?.text).toBe('Two.')
  await confirm()
  expect(pipeline.hasSentPayload(piece('One.\n\nTwo.'))).toBe(true)
  expect(finalPayloads({ assistantTexts: ['One.\n\nTwo.'], pipeline })).toEqual([])
})

test('after a send that failed nothing else of the answer is sent, and the finals have the rest', async () => {
  const { begun, pipeline, confirm, refuse, debugged } = heldChannel()
  for (const text of ['One.', 'Two.', 'Three.']) pipeline.enqueue(piece(text))
  pipeline.enqueue({ media: ['a.png'] })
  pipeline.enqueue({ text: 'Calling a tool', isStatus: true })
  await settle()
  await confirm()
  await refuse()
  await confirm()
  await pipeline.stop()
  expect(begun.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Calling a tool'])
  expect(debugged).toEqual(['A message was not sent: Error: refused'])
  expect(pipeline.isAborted()).toBe(false)
  const finals = finalPayloads({ assistantTexts: ['One. Two. Three.'], pipeline })
  expect(finals).toMatchObject([{ text: 'Two. Three.' }, { media: ['a.png'] }])
})

test('what comes after a send that failed does not count as waiting, and notices still go out', async () => {
  const { begun, pipeline, refuse } = heldChannel()
  pipeline.enqueue(piece('One.'))
  await settle()
  await refuse()
  pipeline.enqueue(piece('Two.'))
  await pipeline.flush()
  expect(pipeline.hasBuffered()).toBe(false)
  pipeline.enqueue({ text: 'Calling a tool', isStatus: true })
  await settle()
  expect(begun.map(({ text }) => text)).toEqual(['One.', 'Calling a tool'])
  expect(pipeline.unsentPayloads()).toEqual([piece('One.'), piece('Two.')])
})

test('a send that throws at once is one that failed', async () => {
  const pipeline = createReplyPipeline({
    send: () => {
      throw new Error('broken')
    },
  })
  pipeline.enqueue(piece('One.'))
  pipeline.enqueue(piece('Two.'))
  await pipeline.stop()
  expect(pipeline.hasBuffered()).toBe(false)
  expect(pipeline.unsentPayloads()).toHaveLength(2)
})

test('a send that takes 15 seconds aborts the pipeline, and the finals have what was not confirmed', async () => {
  const { begun, sends, pipeline, confirm, clock } = heldChannel()
  for (const text of ['One.', 'Two.', 'Three.']) pipeline.enqueue(piece(text))
  await settle()
  await confirm()
  await clock.advance(14_999)
  expect(pipeline.isAborted()).toBe(false)
  expect(sends.at(-1)?.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(pipeline.isAborted()).toBe(true)
  expect(sends.at(-1)?.signal.aborted).toBe(true)
  await pipeline.stop()
  expect(begun).toHaveLength(2)
  expect(clock.timerCount).toBe(0)
  expect(finalPayloads({ assistantTexts: ['One.\n\nTwo.\n\nThree.'], pipeline })).toMatchObject([
    { text: 'Two.\n\nThree.', before: '\n\n' },
  ])
})

test('a send that is confirmed after its time is not repeated', async () => {
  const { pipeline, confirm, clock } = heldChannel({ timeoutMs: 100 })
  pipeline.enqueue(piece('One.'))
  await clock.advance(100)
  expect(pipeline.hasSentPayload(piece('One.'))).toBe(false)
  await confirm()
  expect(finalPayloads({ assistantTexts: ['One.'], pipeline })).toEqual([])
})

test('a send that fails after its time disturbs nobody', async () => {
  const { pipeline, refuse, clock } = heldChannel({ timeoutMs: 100 })
  pipeline.enqueue(piece('One.'))
  await clock.advance(100)
  await refuse()
  await pipeline.stop()
  expect(pipeline.unsentPayloads()).toEqual([piece('One.')])
})

test('a notice is sent in its place, but it is no content', async () => {
  const { begun, pipeline, confirm, refuse } = heldChannel()
  pipeline.enqueue({ text: 'One', isStatus: true })
  pipeline.enqueue({ text: 'One' })
  await settle()
  await confirm()
  expect(pipeline.didStream()).toBe(false)
  expect(pipeline.hasSentPayload({ text: 'One' })).toBe(false)
  await refuse()
  expect(begun).toHaveLength(2)
  expect(pipeline.unsentPayloads()).toEqual([{ text: 'One' }])
})

test('a notice that cannot be sent holds nothing up', async () => {
  const { begun, pipeline, refuse } = heldChannel()
  pipeline.enqueue({ text: 'Calling a tool', isStatus: true })
  pipeline.enqueue({ text: 'One' })
  await settle()
  await refuse()
  expect(begun.map(({ text }) => text)).toEqual(['Calling a tool', 'One'])
})

test('what waits to be joined is sent by force, and when the pipeline stops', async () => {
  const { begun, pipeline, confirm, clock } = heldChannel({ coalesce: {} })
  pipeline.enqueue(piece('One.'))
  await pipeline.flush()
  expect(begun).toEqual([])
  expect(pipeline.hasBuffered()).toBe(true)
  const flushed = pipeline.flush({ force: true })
  await settle()
  await confirm()
  await flushed
  pipeline.enqueue(piece('Two.'))
  const stopped = pipeline.stop()
  await settle()
  await confirm()
  await stopped
  expect(begun.map(({ text }) => text)).toEqual(['One.', 'Two.'])
  expect(pipeline.hasBuffered()).toBe(false)
  expect(clock.timerCount).toBe(0)
})

test('joined texts are one message, and each of them counts as sent', async () => {
  const { begun, pipeline, confirm, clock } = heldChannel({ coalesce: { idleMs: 500 } })
  pipeline.enqueue({ ...piece('One.'), before: '' })
  pipeline.enqueue({ ...piece('Two.'), before: ' ' })
  pipeline.enqueue(piece('Other.', 1))
  await clock.advance(500)
  expect(begun.map(({ text }) => text)).toEqual(['One. Two.\n\nOther.'])
  await confirm()
  expect(pipeline.unsentPayloads()).toEqual([])
  expect(finalPayloads({ assistantTexts: ['One. Two.', 'Other.'], pipeline })).toEqual([])
})

test('a pipeline that was stopped takes nothing more, and stopping twice is the same', async () => {
  const { begun, pipeline } = heldChannel()
  await pipeline.stop()
  pipeline.enqueue({ text: 'One' })
  await pipeline.stop()
  expect(begun).toEqual([])
  expect(pipeline.hasBuffered()).toBe(false)
})

test('nothing is sent after the signal has aborted', async () => {
  const controller = new AbortController()
  const { begun, sends, pipeline } = heldChannel({ signal: controller.signal })
  pipeline.enqueue({ text: 'One' })
  pipeline.enqueue({ text: 'Two' })
  await settle()
  controller.abort()
  await pipeline.stop()
  expect(sends[0]?.signal.aborted).toBe(true)
  expect(begun).toHaveLength(1)
  expect(pipeline.isAborted()).toBe(true)
  expect(pipeline.unsentPayloads()).toHaveLength(2)
})

test('a signal that aborts while a send begins is not missed', async () => {
  const controller = new AbortController()
  const pipeline = createReplyPipeline({
    send: () => {
      controller.abort()
      return new Promise(() => {})
    },
    signal: controller.signal,
  })
  pipeline.enqueue({ text: 'One' })
  await pipeline.stop()
  expect(pipeline.unsentPayloads()).toEqual([{ text: 'One' }])
})

test('a payload that says nothing is not sent', async () => {
  const { begun, pipeline } = heldChannel()
  pipeline.enqueue({ text: ' \n' })
  pipeline.enqueue({ media: [] })
  await pipeline.stop()
  expect(begun).toEqual([])
})

test('between two messages there is a pause as long as wanted, but not before the first', async () => {
  const { begun, pipeline, confirm, clock } = heldChannel({ pauseMs: ({ text = '' }) => text.length * 100 })
  pipeline.enqueue({ text: 'One' })
  pipeline.enqueue({ text: 'Two' })
  await settle()
  await confirm()
  await clock.advance(299)
  expect(begun).toHaveLength(1)
  await clock.advance(1)
  expect(begun).toHaveLength(2)
  await confirm()
  expect(clock.timerCount).toBe(0)
})
