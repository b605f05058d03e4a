import { weatherQuery } from '@throughline/testing/http/query-event-samples'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { effectScope, watch } from 'vue'
import { emptyQuery, foldQuery, type QueryState } from '../../src/events/query-state.ts'
import type { QueryStoreOptions } from '../../src/events/query-store.ts'
import { type AgentStream, useAgentStream } from '../../src/vue.ts'
import { heldLine } from '../chat/held-line.ts'
import { bytesOf, scriptedFetch, someCuts } from '../events/scripted-queries.ts'
import { turnUntil } from '../turn-until.ts'

const text = (delta: string) => `data: {"type":"text_delta","delta":"${delta}"}\n\n`

let log = vi.spyOn(console, 'error')
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  expect(log).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

test('what the composable shows is the same wherever the bytes are cut', async () => {
  const shown = weatherQuery.reduce(foldQuery, emptyQuery)
  const cuts = [...someCuts(bytesOf(weatherQuery))]
  using scoped = openScope(scriptedFetch(cuts.map(pieces => ({ pieces }))))
  expect(stateOf(scoped.stream)).toEqual(emptyQuery)
  for (const _ of cuts) {
    await scoped.stream.streamQuery('天气？', 'session-0')
    expect(stateOf(scoped.stream)).toEqual(shown)
    expect(scoped.stream.events.value).toEqual(weatherQuery)
  }
})

test('only what has changed is told: the tools are still while the text grows', async () => {
  const line = heldLine()
  using scoped = openScope(line)
  const { stream, scope } = scoped
  const onText = vi.fn()
  const onTools = vi.fn()
  scope.run(() => {
    watch(stream.response, onText, { flush: 'sync' })
    watch(stream.toolCalls, onTools, { flush: 'sync' })
  })
  void stream.streamQuery('Hi')
  await line.write(text('Well'))
  await turnUntil(() => stream.response.value === 'Well')
  expect(onText).toHaveBeenCalledOnce()
  expect(onTools).not.toHaveBeenCalled()
})

test('a new query aborts the old one, and nothing of the old one is shown later', async () => {
  const [old, next] = [heldLine(), heldLine()]
  const lines = [old, next]
  using scoped = openScope({ fetch: async (...given) => (lines.shift() ?? next).fetch(...given) })
  const { response, isStreaming, error, streamQuery } = scoped.stream
  const first = streamQuery('First')
  await old.write(text('old'))
  void streamQuery('Second')
  await first
  expect(old.isOpen()).toBe(false)
  await next.write(text('new'))
  await turnUntil(() => response.value !== '')
  expect([response.value, isStreaming.value, error.value]).toEqual(['new', true, undefined])
})

test('an abort is silent, and so is the end of the component', async () => {
  const lines = [heldLine(), heldLine()]
  const [first, second] = lines
  const waiting = [...lines]
  const { stream, scope } = openScope({
    fetch: async (...given) => waiting.shift()?.fetch(...given) ?? Response.error(),
  })
  const asked = stream.streamQuery('First')
  await first?.write(text('Well'))
  stream.abort()
  await asked
  expect(stateOf(stream)).toEqual({ ...emptyQuery, response: 'Well' })

  const again = stream.streamQuery('Second')
  await second?.write(text('Well'))
  scope.stop()
  await again
  expect(lines.map(line => line.isOpen())).toEqual([false, false])
})

/** The composable in a scope, as in a component, with an animation frame in every turn of the event loop. */
function openScope(options: QueryStoreOptions) {
  const scope = effectScope()
  const stream = scope.run(() =>
    useAgentStream({ onFrame: callback => void setImmediate(callback), ...options }),
  )
  if (stream === undefined) throw new Error('The scope has ended.')
  return { scope, stream, [Symbol.dispose]: () => scope.stop() }
}

function stateOf(stream: AgentStream): QueryState {
  return {
    response: stream.response.value,
    isStreaming: stream.isStreaming.value,
    toolCalls: stream.toolCalls.value,
    tools: stream.tools.value,
    approvals: stream.approvals.value,
    progress: stream.progress.value,
    cutShort: stream.cutShort.value,
    statusText: stream.statusText.value,
    usage: stream.usage.value,
    error: stream.error.value,
    sessionId: stream.sessionId.value,
  }
}
