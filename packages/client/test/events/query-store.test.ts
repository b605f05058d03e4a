import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { emptyQuery, eventsOf, foldQuery } from '../../src/events/query-state.ts'
import { QueryStore, type QueryStoreOptions } from '../../src/events/query-store.ts'
import { heldLine } from '../chat/held-line.ts'
import { turnUntil } from '../turn-until.ts'
import { bytesOf, scriptedFetch, someCuts } from './scripted-queries.ts'

const shown = weatherQuery.reduce(foldQuery, emptyQuery)
const answer = { pieces: [encodeQuery(weatherQuery)] }
const text = (delta: string) => `data: {"type":"text_delta","delta":"${delta}"}\n\n`
const final = (content: string) => `data: {"type":"final","content":"${content}"}\n\n: done\n\n`

let log = vi.spyOn(console, 'error')
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => void vi.restoreAllMocks())

test('the snapshot is the same wherever the bytes are cut', async () => {
  for (const pieces of someCuts(bytesOf(weatherQuery))) {
    const { store } = openStore(scriptedFetch([{ pieces }]))
    await store.query('天气？', 'session-0')
    expect(store.getSnapshot()).toMatchObject(shown)
    expect(eventsOf(store.getSnapshot().eventList)).toEqual(weatherQuery)
  }
  expect(log).not.toHaveBeenCalled()
})

describe('listeners', () => {
  test('hear at once what a person does, and of any number of events once, at the next frame', async () => {
    const line = heldLine()
    const { store, frames, listener } = heldStore(line)
    void store.query('Hi', 'session-1')
    expect(listener).toHaveBeenCalledTimes(1)
    expect(store.getSnapshot()).toMatchObject({ ...emptyQuery, isStreaming: true, sessionId: 'session-1' })

    for (const delta of ['a', 'b', 'c']) await line.write(text(delta))
    expect(frames).toHaveLength(1)
    expect(store.getSnapshot().response).toBe('')
    frames.shift()?.()
    expect(listener).toHaveBeenCalledTimes(2)
    expect(store.getSnapshot().response).toBe('abc')

    store.abort()
    expect(listener).toHaveBeenCalledTimes(3)
    expect(store.getSnapshot()).toMatchObject({ response: 'abc', isStreaming: false, error: undefined })
  })

  test('may throw: that is reported, the others hear everything, and the query resolves', async () => {
    const { store, listener } = openStore(scriptedFetch([answer]))
    const failure = new Error('no')
    store.subscribe(() => {
      throw failure
    })
    const last = vi.fn()
    store.subscribe(last)
    await store.query('Hi')
    expect(store.getSnapshot()).toMatchObject({ response: shown.response, isStreaming: false })
    expect(last).toHaveBeenCalledTimes(listener.mock.calls.length)
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith(failure), { timeout: waitLimitMs() })
  })

  test('hear nothing when they have left', async () => {
    const { store, listener, unsubscribe } = openStore(scriptedFetch([answer]))
    unsubscribe()
    await store.query('Hi')
    expect(listener).not.toHaveBeenCalled()
  })
})

test('a query resolves when its end is shown', async () => {
  const line = heldLine()
  const { store, frames } = heldStore(line)
  const onEnd = vi.fn()
  const asked = store.query('Hi').then(onEnd)
  await line.write(final('Yes.'))
  await turnUntil(() => frames.length === 1)
  expect(onEnd).not.toHaveBeenCalled()
  frames.shift()?.()
  await asked
  expect(store.getSnapshot()).toMatchObject({ response: 'Yes.', isStreaming: false })
})

test('an answer is no longer streaming when it is final, though its cost is still to come', async () => {
  const line = heldLine()
  const { store } = openStore(line)
  const asked = store.query('Hi')
  await line.write('data: {"type":"final","content":"Yes."}\n\n')
  await turnUntil(() => store.getSnapshot().response === 'Yes.')
  expect(store.getSnapshot()).toMatchObject({ isStreaming: false, usage: undefined })
  await line.write(`data: ${JSON.stringify(weatherQuery[9])}\n\n`)
  line.end()
  await asked
  expect(store.getSnapshot().usage).toMatchObject({ total_tokens: 1234 })
})

describe('a new query', () => {
  test('aborts the old one, and nothing of the old one arrives later', async () => {
    const [old, next] = [heldLine(), heldLine()]
    const lines = [old, next]
    const { store, frames } = heldStore({
      fetch: async (...given) => (lines.shift() ?? next).fetch(...given),
    })
    const asked = store.query('First')
    await old.write(text('old'))
    const again = store.query('Second')
    expect(store.getSnapshot()).toMatchObject({ response: '', isStreaming: true })
    await asked
    expect(old.isOpen()).toBe(false)

    await next.write(text('new'))
    for (const frame of frames.splice(0)) frame()
    expect(store.getSnapshot()).toMatchObject({ response: 'new', isStreaming: true, error: undefined })
    await next.write(final('new!'))
    await turnUntil(() => frames.length === 1)
    frames.shift()?.()
    await again
    expect(store.getSnapshot().response).toBe('new!')
    expect(log).not.toHaveBeenCalled()
  })

  test('wins against what is under way already, whenever it is asked', async () => {
    for (let turns = 0; turns < 60; turns += 1) {
      const { store } = openStore(scriptedFetch([answer, { pieces: [final('new')] }]))
      const asked = store.query('First')
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      await store.query('Second')
      await asked
      expect(store.getSnapshot()).toMatchObject({ ...emptyQuery, response: 'new' })
      expect(eventsOf(store.getSnapshot().eventList)).toHaveLength(1)
    }
  })

  test('begins with nothing of the old one', async () => {
    const { store } = openStore(scriptedFetch([answer, { pieces: [final('Yes.')] }]))
    await store.query('First')
    await store.query('Second', 'session-2')
    expect(store.getSnapshot()).toMatchObject({ ...emptyQuery, response: 'Yes.', sessionId: 'session-2' })
    expect(eventsOf(store.getSnapshot().eventList)).toHaveLength(1)
  })
})

describe('an abort', () => {
  test('is silent: the query resolves, what came stays, and there is no error', async () => {
    const line = heldLine()
    const { store } = openStore(line)
    const asked = store.query('Hi')
    await line.write(text('Well'))
    store.abort()
    await asked
    expect(store.getSnapshot()).toMatchObject({ response: 'Well', isStreaming: false, error: undefined })
    expect(line.isOpen()).toBe(false)
    expect(log).not.toHaveBeenCalled()
  })

  test('of nothing changes nothing', async () => {
    const { store, listener } = openStore(scriptedFetch([answer]))
    store.abort()
    expect(listener).not.toHaveBeenCalled()
    await store.query('Hi')
    const snapshot = store.getSnapshot()
    store.abort()
    expect(store.getSnapshot()).toBe(snapshot)
  })
})

test.each<[string, QueryStoreOptions, object]>([
  [
    'fails',
    scriptedFetch([{ pieces: ['data: {"type":"error","error":"no"}\n\n'] }]),
    { code: 'agent-failed' },
  ],
  ['breaks off', scriptedFetch([{ pieces: [text('Well')] }]), { code: 'broken-stream' }],
  ['is refused', scriptedFetch([new Response('', { status: 401 })]), { code: 'http', status: 401 }],
  ['is not heard', { fetch: async () => Promise.reject(new TypeError('fetch failed')) }, { code: 'network' }],
])('a query that %s resolves, and its error is shown', async (_, options, error) => {
  const { store } = openStore({ ...options, backoff: { firstMs: 0 } })
  await store.query('Hi')
  expect(store.getSnapshot()).toMatchObject({ isStreaming: false, error: { name: 'ChatError', ...error } })
})

test('the session is known as soon as the server answers, and the query takes it over from whoever has it', async () => {
  const line = heldLine({ 'x-session-id': 'session-9' })
  const bodies: unknown[] = []
  const { store } = openStore({
    fetch: async (input, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return line.fetch(input, init)
    },
  })
  void store.query('First')
  await turnUntil(() => store.getSnapshot().sessionId === 'session-9')
  void store.query('Second', store.getSnapshot().sessionId)
  expect(bodies).toMatchObject([
    { message: 'First' },
    { message: 'Second', session_id: 'session-9', onBusy: 'interrupt' },
  ])
  store.abort()
})

test('a bad event is reported and skipped', async () => {
  const onBadEvent = vi.fn()
  const { fetch } = scriptedFetch([{ pieces: [text('a'), 'data: oops\n\n', text('b'), final('ab')] }])
  const { store } = openStore({ fetch, onBadEvent })
  await store.query('Hi')
  expect(onBadEvent.mock.calls).toEqual([['the data is not JSON', 'oops']])
  expect(store.getSnapshot()).toMatchObject({ response: 'ab', error: undefined })
})

/** A store with an animation frame in every turn of the event loop. */
function openStore(options: QueryStoreOptions) {
  const store = new QueryStore({ onFrame: callback => void setImmediate(callback), ...options })
  const listener = vi.fn()
  return { store, listener, unsubscribe: store.subscribe(listener) }
}

/** A store whose animation frames come when the test calls them. */
function heldStore({ fetch }: Pick<QueryStoreOptions, 'fetch'>) {
  const frames: (() => void)[] = []
  return { ...openStore({ fetch, onFrame: callback => void frames.push(callback) }), frames }
}
