import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { startTestServer } from '@throughline/testing/server/test-server'
import { afterEach, expect, test, vi } from 'vitest'
import { Waker, wakeWithPage } from '../../src/chat/waker.ts'
import { hasAnswers, recordChat, textsOf } from './recorded-chat.ts'

afterEach(() => void vi.unstubAllGlobals())

test('a wake-up aborts what waits now, and not what waits afterwards', () => {
  const waker = new Waker()
  const { signal } = waker
  waker.wake()

  expect([signal.aborted, waker.signal.aborted]).toEqual([true, false])
})

test('a page that is looked at again trusts a connection that has just spoken, and no other', () => {
  let now = 0
  const waker = new Waker(() => now)
  waker.heard()
  const { signal } = waker
  now = 19_000
  waker.wakeIfSilent()
  expect(signal.aborted).toBe(false)
  now = 21_000
  waker.wakeIfSilent()
  expect(signal.aborted).toBe(true)
})

test('the network coming back, the cache and a look wake, as long as one listens', () => {
  const page = new EventTarget()
  const seen = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('document', seen)
  const woken: string[] = []
  const waker = { wake: () => woken.push('wake'), wakeIfSilent: () => woken.push('if silent') }
  const ending = new AbortController()
  wakeWithPage(
    { wake: () => void waker.wake(), wakeIfSilent: () => void waker.wakeIfSilent() },
    ending.signal,
  )
  page.dispatchEvent(new Event('online'))
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }))
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  seen.dispatchEvent(new Event('visibilitychange'))
  seen.visibilityState = 'visible'
  seen.dispatchEvent(new Event('visibilitychange'))
  expect(woken).toEqual(['wake', 'wake', 'if silent'])
  ending.abort()
  page.dispatchEvent(new Event('online'))
  expect(woken).toHaveLength(3)
})

test('a program without a page has nothing to listen to', () => {
  vi.stubGlobal('addEventListener', undefined)
  vi.stubGlobal('document', undefined)
  expect(() => wakeWithPage(new Waker(), new AbortController().signal)).not.toThrow()
})

test('a chat that waits for its next attempt goes on at once when told to', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  await using proxy = await startFaultProxy(server.url)
  // Without a wake-up the next attempt would be an hour away.
  using chat = recordChat(proxy.url, { backoff: { firstMs: 3_600_000, maxMs: 3_600_000 } })
  await chat.store.send('Hello')
  await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
  proxy.resetAll()
  await chat.until(({ connection }) => connection === 'lost')
  letGo()
  chat.store.resume()
  const { messages, connection } = await chat.until(hasAnswers(1))

  expect(textsOf(messages)).toEqual(['Hello', 'Well, yes.'])
  expect(connection).toBe('open')
})

test('a chat that has given up is taken up again', async () => {
  await using server = await startTestServer()
  let isRefused = true
  const fetch: typeof globalThis.fetch = (url, init) =>
    isRefused
      ? Promise.resolve(Response.json({ code: 'token-required', detail: 'Send a token.' }, { status: 401 }))
      : globalThis.fetch(url, init)
  using chat = recordChat(server.url, { fetch })
  await chat.until(({ error }) => error?.code === 'token-required')
  isRefused = false
  chat.store.resume()
  const { error, status } = await chat.until(snapshot => snapshot.error === undefined)

  expect([error, status]).toEqual([undefined, 'ready'])
})
