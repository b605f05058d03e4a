import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { expect, test } from 'vitest'
import { noReply } from '../../src/reading/reply-state.ts'
import { inferToolMeta } from '../../src/reading/tool-meta.ts'
import { startTool, type ToolStartPorts } from '../../src/sending/tool-start.ts'
import { FakeClock } from '../fake-clock.ts'

const call = {
  toolCallId: 'call-1',
  toolName: 'web_fetch',
  args: { url: 'https://example.com/news?token=secret' },
}
const event = {
  runId: 'run-1',
  stream: 'tool',
  data: { phase: 'start', name: 'web_fetch', toolCallId: 'call-1', args: call.args },
}

function listening(ports: Partial<ToolStartPorts> = {}) {
  const clock = new FakeClock()
  const seen: unknown[] = []
  const all: ToolStartPorts = {
    runId: 'run-1',
    onBlockReplyFlush: async () => void seen.push('flush'),
    emit: emitted => seen.push(emitted),
    showSummary: ({ summary }) => seen.push(summary),
    debug: message => seen.push(`debug: ${message}`),
    startTimer: clock.startTimer,
    ...ports,
  }
  return { clock, seen, ports: all }
}

test('the waiting text goes first, then the summary, then the page is told', async () => {
  const { seen, ports, clock } = listening()
  await startTool(noReply, call, ports).told
  expect(seen).toEqual(['flush', 'web_fetch: example.com/news', event])
  expect(clock.timerCount).toBe(0)
})

test('the flush has begun and the state is there before anything is waited for', () => {
  const { seen, ports } = listening({ onBlockReplyFlush: () => new Promise(() => seen.push('flush')) })
  const { state } = startTool(noReply, call, ports)
  expect(seen).toEqual(['flush'])
  expect(state.toolMetaById.get('call-1')?.summary).toBe('web_fetch: example.com/news')
  expect(state.toolMetas).toHaveLength(1)
  expect([...state.toolSummaryById]).toEqual(['call-1'])
})

test('the page is told after the text was sent, but no later than the timeout', async () => {
  const sent = Promise.withResolvers<void>()
  const slow = listening({ onBlockReplyFlush: () => sent.promise })
  const { told } = startTool(noReply, call, slow.ports)
  await slow.clock.advance(14_999)
  expect(slow.seen).toEqual([])
  expect(await isPending(told)).toBe(true)
  await slow.clock.advance(1)
  expect(slow.seen.at(-1)).toEqual(event)
  expect(slow.seen[0]).toContain('debug: Tool web_fetch has started, but sending the text before it failed')
  sent.reject(new Error('late'))
  await told
  await settle()
})

test('R81: after the text the channel shows that something is going on, and nobody waits for it', async () => {
  const { seen, ports } = listening({
    showTyping: () => {
      seen.push('typing')
      return new Promise(() => {})
    },
  })
  await startTool(noReply, call, ports).told
  expect(seen).toEqual(['flush', 'typing', 'web_fetch: example.com/news', event])
})

test.each([
  () => Promise.reject(new Error('broken')),
  () => {
    throw new Error('broken')
  },
])('R81: that it could not be shown is a debug message and nothing else', async showTyping => {
  const { seen, ports } = listening({ showTyping })
  await startTool(noReply, call, ports).told
  await settle()
  expect(seen.filter(item => item !== event)).toContain(
    'debug: Tool web_fetch has started, but showing that it works failed: Error: broken',
  )
  expect(seen).toContainEqual(event)
})

test('a summary is shown once per call', async () => {
  const { seen, ports } = listening()
  const first = startTool(noReply, call, ports)
  const second = startTool(first.state, call, ports)
  await Promise.all([first.told, second.told])
  expect(seen.filter(item => item === 'web_fetch: example.com/news')).toHaveLength(1)
  expect(second.state).toBe(first.state)
})

test('what fails on the way is a debug message and stops nothing', async () => {
  const fail = () => {
    throw new Error('broken')
  }
  const { seen, ports } = listening({ onBlockReplyFlush: fail, showSummary: fail, emit: async () => fail() })
  await startTool(noReply, call, ports).told
  expect(seen).toEqual([
    'debug: Tool web_fetch has started, but sending the text before it failed: Error: broken',
    'debug: Tool web_fetch has started, but showing its summary failed: Error: broken',
    'debug: Tool web_fetch has started, but telling the page failed: Error: broken',
  ])
})

test('what a call is about is told from known arguments only, in one short line', () => {
  const about = (args: unknown) => inferToolMeta({ toolCallId: '1', toolName: 'tool', args }).summary
  expect(about({ query: ' the   weather\nin Bern ' })).toBe('tool: the weather in Bern')
  expect(about({ password: 'secret', path: '/tmp/a' })).toBe('tool: /tmp/a')
  expect(about({ url: 'https://user:pass@example.com/?token=secret' })).toBe('tool: example.com')
  expect(about({ url: 'no address' })).toBe('tool: no address')
  expect(about({ query: '😀'.repeat(60) })).toBe(`tool: ${'😀'.repeat(39)}…`)
  for (const args of [undefined, null, 'text', 5, [], {}, { path: '' }, { path: 5 }])
    expect(about(args)).toBe('tool')
})
