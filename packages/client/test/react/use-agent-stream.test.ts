// @vitest-environment happy-dom
import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { act, createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyQuery, foldQuery } from '../../src/events/query-state.ts'
import type { QueryStoreOptions } from '../../src/events/query-store.ts'
import { type AgentStream, useAgentStream } from '../../src/react/hooks.ts'
import { heldLine } from '../chat/held-line.ts'
import { bytesOf, scriptedFetch, someCuts } from '../events/scripted-queries.ts'
import { turnUntil } from '../turn-until.ts'

const answer = { pieces: [encodeQuery(weatherQuery)] }
const text = (delta: string) => `data: {"type":"text_delta","delta":"${delta}"}\n\n`

let log = vi.spyOn(console, 'error')
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  log = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  expect(log).not.toHaveBeenCalled()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('a hook begins with nothing, and asks nobody', async () => {
  const { fetch, requests } = scriptedFetch([])
  await using page = await openPage({ fetch })
  const { response, isStreaming, toolCalls, streamQuery, abort, ...rest } = page.stream()

  expect({ response, isStreaming, toolCalls }).toEqual({ response: '', isStreaming: false, toolCalls: [] })
  expect([typeof streamQuery, typeof abort]).toEqual(['function', 'function'])
  expect(Object.keys(rest).sort()).toEqual([
    'approvals',
    'approve',
    'cutShort',
    'error',
    'events',
    'progress',
    'sessionId',
    'statusText',
    'stop',
    'tools',
    'usage',
  ])
  expect(requests).toEqual([])
})

test('what it shows is the same wherever the bytes are cut', async () => {
  const shown = weatherQuery.reduce(foldQuery, emptyQuery)
  const cuts = [...someCuts(bytesOf(weatherQuery))]
  await using page = await openPage(scriptedFetch(cuts.map(pieces => ({ pieces }))))
  for (const _ of cuts) {
    await act(() => page.stream().streamQuery('天气？', 'session-0'))
    expect(page.stream()).toMatchObject(shown)
    expect(page.stream().events).toEqual(weatherQuery)
    expect(page.element.textContent).toBe(shown.response)
  }
})

test('the page shows the answer as it grows, and is streaming from the question to the end', async () => {
  const line = heldLine()
  await using page = await openPage(line)
  let asked: Promise<void> | undefined
  await act(async () => {
    asked = page.stream().streamQuery('Hi')
  })
  expect(page.stream().isStreaming).toBe(true)
  for (const [delta, whole] of [
    ['Well', 'Well'],
    [', yes', 'Well, yes'],
  ]) {
    await act(() => line.write(text(delta ?? '')))
    await page.until(() => page.element.textContent === whole)
  }
  await act(() => line.write('data: {"type":"final","content":"Well, yes."}\n\n: done\n\n'))
  await act(() => asked)
  expect(page.element.textContent).toBe('Well, yes.')
  expect(page.stream().isStreaming).toBe(false)
})

test('a new query aborts the old one, and nothing of the old one is shown later', async () => {
  const [old, next] = [heldLine(), heldLine()]
  const lines = [old, next]
  await using page = await openPage({ fetch: async (...given) => (lines.shift() ?? next).fetch(...given) })
  let first: Promise<void> | undefined
  await act(async () => {
    first = page.stream().streamQuery('First')
  })
  await act(() => old.write(text('old')))
  await page.until(() => page.element.textContent === 'old')
  await act(async () => {
    void page.stream().streamQuery('Second')
  })
  expect(page.element.textContent).toBe('')
  await act(() => first)
  expect(old.isOpen()).toBe(false)
  await act(() => next.write(text('new')))
  await page.until(() => page.element.textContent === 'new')
  expect(page.stream()).toMatchObject({ isStreaming: true, error: undefined })
})

test('an abort is silent and keeps what has come', async () => {
  const line = heldLine()
  await using page = await openPage(line)
  let asked: Promise<void> | undefined
  await act(async () => {
    asked = page.stream().streamQuery('Hi')
  })
  await act(() => line.write(text('Well')))
  await page.until(() => page.element.textContent === 'Well')
  await act(async () => page.stream().abort())
  await asked
  expect(line.isOpen()).toBe(false)
  expect(page.stream()).toMatchObject({ response: 'Well', isStreaming: false, error: undefined })
})

test('a page that goes aborts its query, and says nothing', async () => {
  const line = heldLine()
  const page = await openPage(line)
  let asked: Promise<void> | undefined
  await act(async () => {
    asked = page.stream().streamQuery('Hi')
  })
  await act(() => line.write(text('Well')))
  await page.unmount()
  await asked
  expect(line.isOpen()).toBe(false)
})

test('a page that mounts twice, as it does while it is developed, works as one', async () => {
  await using page = await openPage(scriptedFetch([answer]), { isStrict: true })
  await act(() => page.stream().streamQuery('Hi'))
  expect(page.stream()).toMatchObject({ isStreaming: false, toolCalls: weatherQuery.slice(3, 7) })
})

test('a query is asked with the options of the last render, by functions that stay the same', async () => {
  const { fetch, requests } = scriptedFetch([answer, answer])
  await using page = await openPage({ fetch, headers: () => ({ authorization: 'old' }) })
  const { streamQuery, abort } = page.stream()
  await act(() => streamQuery('First'))
  await page.render({ fetch, headers: () => ({ authorization: 'new' }) })
  await act(() => streamQuery('Second'))

  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['old', 'new'])
  expect(page.stream()).toMatchObject({ streamQuery, abort })
})

test('a failure is shown, and the promise resolves', async () => {
  await using page = await openPage({ ...scriptedFetch([new Response('', { status: 503 })]), maxRetries: 0 })
  await act(() => page.stream().streamQuery('Hi'))
  expect(page.stream()).toMatchObject({ isStreaming: false, error: { name: 'ChatError', status: 503 } })
})

interface Props {
  readonly options: QueryStoreOptions
  readonly onRender: (stream: AgentStream) => void
}

function Answer({ options, onRender }: Props) {
  const stream = useAgentStream(options)
  onRender(stream)
  return stream.response
}

/** A page with the hook, and an animation frame in every turn of the event loop. */
async function openPage(given: QueryStoreOptions, { isStrict = false } = {}) {
  const element = document.createElement('div')
  const root = createRoot(element)
  let last: AgentStream | undefined
  async function render(options: QueryStoreOptions) {
    const answer = createElement(Answer, {
      options: { onFrame: callback => void setImmediate(callback), ...options },
      onRender: stream => {
        last = stream
      },
    })
    await act(async () => root.render(isStrict ? createElement(StrictMode, null, answer) : answer))
  }
  const unmount = () => act(async () => root.unmount())
  await render(given)
  return {
    element,
    render,
    unmount,
    stream(): AgentStream {
      if (last === undefined) throw new Error('The page has not been rendered.')
      return last
    },
    /** Waits for animation frames until the condition holds. */
    until: (isAsExpected: () => boolean) => act(() => turnUntil(isAsExpected)),
    [Symbol.asyncDispose]: unmount,
  }
}
