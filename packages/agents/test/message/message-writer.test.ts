import { type Chunk, isEndChunk, isMessageId } from '@throughline/protocol'
import { say, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { idOf } from '@throughline/testing/log/id-of'
import { expect, test } from 'vitest'
import { MessageWriter } from '../../src/message/message-writer.ts'

const call = { type: 'tool-call', ...weatherCall('call') } as const
const result = { type: 'tool-result', ...weatherCall('call'), output: 'clear' } as const
const end = { status: 'finished', finishReason: 'stop' } as const

test('a call is known once it is written, under the id it has on the stream', async () => {
  const { writer, chunks } = writerWith({ callPrefix: '3:' })
  const called = writer.called('call', 'weather')
  await writer.write(call)
  expect(await called).toBe('3:call')
  expect(chunks[0]).toMatchObject({ type: 'tool-input-available', toolCallId: '3:call' })
})

test('a call that comes with other content is known as well', async () => {
  const { writer } = writerWith()
  const called = writer.called('call', 'weather')
  await writer.write({ type: 'content', text: 'Let me look.', toolCalls: [weatherCall('call')] })
  expect(await called).toBe('call')
})

// Some providers number the calls of each step from zero.
test('a call under the id of a finished one is known under its own', async () => {
  const { writer } = writerWith()
  await writer.write(call)
  expect(await writer.called('call', 'weather')).toBe('call')
  await writer.write(result)
  const second = writer.called('call', 'weather')
  await writer.write(call)
  expect(await second).toBe('call-2')
})

// The AI SDK may begin a tool before the result of the call before it has been written.
test('who asks about a call before the one before it is over waits for its own', async () => {
  const { writer } = writerWith()
  const first = writer.called('call', 'weather')
  await writer.write(call)
  const second = writer.called('call', 'weather')
  await writer.write(result)
  await writer.write(call)
  expect(await Promise.all([first, second])).toEqual(['call', 'call-2'])
})

test('who asks about a call that is never written hears when the message ends', async () => {
  const { writer } = writerWith()
  const before = expect(writer.called('call', 'weather')).rejects.toThrow('The answer ended')
  await writer.end(end)
  await before
  await expect(writer.called('call', 'weather')).rejects.toThrow('The answer ended')
})

test('what two write at the same time is written one after the other', async () => {
  const { writer, chunks } = writerWith()
  await Promise.all([writer.write(say('One.')), writer.write(call), writer.write(say('Two.'))])
  const types = chunks.map(({ type }) => type).filter(type => type !== 'data-step')
  expect(types).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'tool-input-available',
    'text-start',
    'text-delta',
  ])
  expect(writer.text).toBe('One.\n\nTwo.')
})

test('what comes after the end is dropped, a second end too', async () => {
  const { writer, chunks } = writerWith()
  await Promise.all([writer.end(end), writer.write(say('Late.')), writer.end(end)])
  expect(chunks.map(isEndChunk)).toEqual([true])
})

test('a write that fails fails its caller, and the next one is tried', async () => {
  let isBroken = true
  const { writer, chunks } = writerWith({
    beforeEmit: () => {
      if (isBroken) throw new Error('The disk is full.')
    },
  })
  await expect(writer.write(say('Lost.'))).rejects.toThrow('The disk is full.')
  isBroken = false
  await writer.end(end)
  expect(chunks.map(isEndChunk).at(-1)).toBe(true)
})

test('each call is told as a step: numbered, named by its title, with how it went', async () => {
  const { writer, chunks } = writerWith()
  await writer.write({ type: 'tool-input-start', ...weatherCall('call'), title: 'Weather' })
  await writer.write(call)
  await writer.write({ type: 'tool-progress', ...weatherCall('call'), output: 'half' })
  await writer.write(result)
  await writer.write({ ...call, toolCallId: 'other' })
  await writer.end({ status: 'stopped', text: 'Stopped.' })
  const steps = chunks.flatMap(chunk => (chunk.type === 'data-step' ? [chunk] : []))
  expect(steps).toMatchObject([
    { id: 'step-call', data: { number: 1, title: 'Weather', status: 'running' } },
    { id: 'step-call', data: { number: 1, title: 'Weather', status: 'completed', durationMs: 0 } },
    { id: 'step-other', data: { number: 2, title: 'weather', status: 'running' } },
    { id: 'step-other', data: { number: 2, title: 'weather', status: 'error', durationMs: 0 } },
  ])
})

function writerWith({
  callPrefix = '',
  beforeEmit = () => undefined,
}: {
  readonly callPrefix?: string
  readonly beforeEmit?: () => void
} = {}) {
  const chunks: Chunk[] = []
  let steps = 0
  const writer = new MessageWriter({
    messageId: idOf(isMessageId, 'answer'),
    callPrefix,
    clock: {
      now: () => new Date(0),
      nextStep: () => {
        steps += 1
        return steps
      },
    },
    async emit(chunk) {
      beforeEmit()
      chunks.push(chunk)
    },
  })
  return { writer, chunks }
}
