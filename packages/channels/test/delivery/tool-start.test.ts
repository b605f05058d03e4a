import { settle } from '@throughline/testing/faults/held-writes'
import { expect, test } from 'vitest'
import { inferToolMeta, type ToolStartPorts, tellToolStart } from '../../src/delivery/tool-start.ts'

const tool = {
  toolCallId: 'call-1',
  toolName: 'web_fetch',
  args: { url: 'https://example.com/news?token=secret' },
}
const meta = inferToolMeta(tool, 1)
const event = {
  runId: 'run-1',
  stream: 'tool',
  data: { phase: 'start', name: 'web_fetch', toolCallId: 'call-1', args: tool.args },
}

function listening(ports: Partial<ToolStartPorts> = {}) {
  const seen: unknown[] = []
  const all: ToolStartPorts = {
    runId: 'run-1',
    showTyping: () => seen.push('typing'),
    onEvent: told => seen.push(told),
    showSummary: ({ summary }) => seen.push(summary),
    debug: message => seen.push(`debug: ${message}`),
    ...ports,
  }
  return { seen, ports: all }
}

test('R61: the channel shows that something is going on, the observers are told, and the summary is shown', async () => {
  const { seen, ports } = listening()
  await tellToolStart(tool, meta, ports)
  expect(seen).toEqual(['typing', event, 'web_fetch: example.com/news'])
})

test('R81: nobody waits for the typing indicator, or for the observers', async () => {
  const never = () => new Promise(() => {})
  const { seen, ports } = listening({ showTyping: never, onEvent: never })
  await tellToolStart(tool, meta, ports)
  expect(seen).toEqual(['web_fetch: example.com/news'])
})

test('what comes next waits for the summary, so that it stands in its place', async () => {
  const shown = Promise.withResolvers<void>()
  const { seen, ports } = listening({ showSummary: () => shown.promise })
  const told = tellToolStart(tool, meta, ports).then(() => seen.push('told'))
  await settle()
  expect(seen).toEqual(['typing', event])
  shown.resolve()
  await told
  expect(seen).toEqual(['typing', event, 'told'])
})

test('without a summary and without observers only the typing indicator is shown', async () => {
  const { seen, ports } = listening({ showSummary: undefined, onEvent: undefined })
  await tellToolStart(tool, meta, ports)
  expect(seen).toEqual(['typing'])
})

test.each([
  () => {
    throw new Error('broken')
  },
  () => Promise.reject(new Error('broken')),
])('R54: what fails is a debug message and stops nothing', async fail => {
  const { seen, ports } = listening({ showTyping: fail, onEvent: fail, showSummary: fail })
  await tellToolStart(tool, meta, ports)
  await settle()
  expect(new Set(seen)).toEqual(
    new Set([
      'debug: Tool web_fetch has started, but showing that it works failed: Error: broken',
      'debug: Tool web_fetch has started, but telling the observers failed: Error: broken',
      'debug: Tool web_fetch has started, but showing its summary failed: Error: broken',
    ]),
  )
})
