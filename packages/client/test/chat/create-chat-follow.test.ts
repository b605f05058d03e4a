import { logName } from '@throughline/log'
import { isChatId, isOwnerId } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { loadChat, stop, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { hasAnswers, idsOf, isReady, recordChat, textsOf } from './recorded-chat.ts'

const echo = scriptedAgent('echo', ({ messages }) => [say(`Answer ${messages.length}.`), finish])

describe('a chat that is opened', () => {
  test('before it exists appears as soon as somebody else has begun it', async () => {
    await using server = await startTestServer({ agents: [echo] })
    using first = recordChat(server.url)
    await first.until(isReady)
    using second = recordChat(server.url)
    await second.until(isReady)
    await second.store.send('Hello')
    const [one, two] = await Promise.all([first.until(hasAnswers(1)), second.until(hasAnswers(1))])

    expect(one.messages).toEqual(two.messages)
    await first.store.send('And hello')
    await Promise.all([first.until(hasAnswers(2)), second.until(hasAnswers(2))])
  })

  test('in the middle of an answer shows it from there on, without a gap and without a repetition', async () => {
    const { agent, letGo } = heldAgent('assistant', {
      before: [say('One, two, '), { type: 'reasoning-delta', text: 'hm, ' }, say('three, ')],
      after: [say('four, '), { type: 'reasoning-delta', text: 'so' }, say('five.')],
    })
    await using server = await startTestServer({ agents: [agent] })
    using first = recordChat(server.url)
    await first.store.send('Count!')
    await first.until(({ messages }) => textsOf(messages)[1]?.endsWith('three, ') === true)

    using second = recordChat(server.url)
    const opened = await second.until(({ status }) => status !== 'loading')
    expect(opened.status).toBe('streaming')
    expect(textsOf(opened.messages)).toEqual(['Count!', 'One, two, \n\nthree, '])
    await second.until(({ connection }) => connection === 'open')
    letGo()
    const [one, two] = await Promise.all([first.until(hasAnswers(1)), second.until(hasAnswers(1))])
    expect(textsOf(two.messages)[1]).toBe('One, two, \n\nthree, four, \n\nfive.')
    expect(two.messages).toEqual(one.messages)
    expect(two.messages).toEqual((await loadChat(server.url)).messages)
  })

  test('twice shows the same in both', async () => {
    await using server = await startTestServer({ agents: [echo] })
    using first = recordChat(server.url)
    await first.store.send('From the first')
    await first.untilSaved(1)
    using second = recordChat(server.url)
    await second.until(hasAnswers(1))
    await second.store.send('From the second')
    const [one, two] = await Promise.all([first.until(hasAnswers(2)), second.until(hasAnswers(2))])

    expect(one.messages).toEqual(two.messages)
    expect(textsOf(one.messages)).toEqual(['From the first', 'Answer 1.', 'From the second', 'Answer 3.'])
  })

  test('before it exists shows what others have said in it, once something is sent from here', async () => {
    await using server = await startTestServer({ agents: [echo] })
    using first = recordChat(server.url)
    using second = recordChat(server.url, { isNew: true })
    using third = recordChat(server.url)
    for (const chat of [first, second, third]) await chat.until(isReady)
    for (const [index, chat] of [first, second, third].entries()) {
      await chat.store.send(`Question ${index}`)
      await chat.untilSaved(index + 1)
    }

    const { messages } = await loadChat(server.url)
    for (const { store, until } of [first, second, third]) {
      expect((await until(hasAnswers(3))).messages).toEqual(messages)
      expect(store.getSnapshot().error).toBeUndefined()
    }
  })

  test('and closed and opened again, as a page does while it is developed, is followed once', async () => {
    await using server = await startTestServer({ agents: [echo] })
    using chat = recordChat(server.url)
    chat.store.close()
    chat.store.open()
    chat.store.open()
    await chat.store.send('Hello')
    const { messages } = await chat.until(hasAnswers(1))

    expect(textsOf(messages)).toEqual(['Hello', 'Answer 1.'])
    for (const snapshot of chat.snapshots)
      expect(idsOf(snapshot.messages)).toEqual([...new Set(idsOf(snapshot.messages))])
  })
})

describe('a chat whose connection breaks', () => {
  test('says so, and goes on where it was', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using proxy = await startFaultProxy(server.url)
    using chat = recordChat(proxy.url)
    await chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    proxy.resetAll()
    await chat.until(({ connection }) => connection === 'lost')
    await chat.until(({ connection }) => connection === 'open')
    letGo()
    const { messages } = await chat.until(hasAnswers(1))

    expect(textsOf(messages)).toEqual(['Hello', 'Well, yes.'])
    expect(messages).toEqual((await loadChat(server.url)).messages)
  })

  test('tells of a stop that did not get through, until it is there again', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    await using proxy = await startFaultProxy(server.url)
    const network = switchedFetch()
    using chat = recordChat(proxy.url, { fetch: network.fetch })
    await chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    network.isDown = true
    proxy.resetAll()
    await chat.store.stop()
    const { error } = await chat.until(({ connection }) => connection === 'lost')
    expect(error).toMatchObject({ code: 'network' })

    network.isDown = false
    const again = await chat.until(({ connection }) => connection === 'open')
    expect(again).toMatchObject({ error: undefined, status: 'streaming' })
  })

  test('does not give an older error as the reason', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    await using proxy = await startFaultProxy(server.url)
    const network = switchedFetch()
    using chat = recordChat(proxy.url, { fetch: network.fetch })
    await chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    await chat.store.deleteMessage('unknown')
    await chat.until(({ error }) => error !== undefined && !error.isTemporary)
    network.isDown = true
    proxy.resetAll()
    const { error } = await chat.until(({ connection }) => connection === 'lost')
    expect(error).toBeUndefined()
  })

  test('stops the answer that it shows, and not the next one, of which it does not know', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    await using proxy = await startFaultProxy(server.url)
    let isLogDown = false
    const fetch: typeof globalThis.fetch = (input, init) =>
      isLogDown && String(input).includes('/log')
        ? Promise.reject(new TypeError('cut'))
        : globalThis.fetch(input, init)
    using chat = recordChat(proxy.url, { fetch })
    await chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    isLogDown = true
    proxy.resetAll()
    await chat.until(({ connection }) => connection === 'lost')
    await stop(server.url)
    const next = await (await submit(server.url, { messageId: 'next' })).json()
    await chat.store.stop()
    expect(await server.store.runs.unfinished()).toMatchObject([{ id: next.runId }])
    expect(await server.store.runs.toStop()).toEqual([])

    isLogDown = false
    await chat.until(({ messages }) => textsOf(messages)[3] === 'Well, ')
    await chat.store.stop()
    expect(await server.store.runs.unfinished()).toEqual([])
  })

  test('before it is loaded is loaded later, and says why not yet', async () => {
    await using server = await startTestServer({ heartbeatMs: 50 })
    await using proxy = await startFaultProxy(server.url, connection =>
      connection === 0 ? { type: 'black-hole', afterBytes: 0 } : { type: 'none' },
    )
    using chat = recordChat(proxy.url, { stallMs: 300 })
    const { status, error } = await chat.until(snapshot => snapshot.error !== undefined)
    expect(status).toBe('loading')
    expect(error).toMatchObject({ code: 'network' })

    expect((await chat.until(isReady)).error).toBeUndefined()
  })
})

describe('a chat that is no longer what it was', () => {
  const name = logName({ ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'chat') })

  test('is loaded again when its log was made anew, and goes on', async () => {
    await using server = await startTestServer({ agents: [echo] })
    using chat = recordChat(server.url)
    await chat.store.send('Before')
    const before = await chat.untilSaved(1)
    await server.store.log.remove(name)
    await chat.until(({ messages }) => messages !== before.messages)
    await chat.store.send('After')
    const after = await chat.until(hasAnswers(2))

    expect(textsOf(after.messages)).toEqual(['Before', 'Answer 1.', 'After', 'Answer 3.'])
    for (const { messages } of chat.snapshots.slice(chat.snapshots.indexOf(before))) {
      expect(textsOf(messages).slice(0, 2)).toEqual(['Before', 'Answer 1.'])
    }
  })

  test.each(['while it is followed', 'while the connection is broken'])(
    'is empty when it was removed %s, and begins anew with the next message',
    async moment => {
      await using server = await startTestServer({ agents: [echo] })
      await using proxy = await startFaultProxy(server.url)
      const network = switchedFetch()
      using chat = recordChat(proxy.url, { fetch: network.fetch })
      await chat.store.send('Old')
      await chat.untilSaved(1)
      if (moment === 'while the connection is broken') {
        network.isDown = true
        proxy.resetAll()
        await chat.until(({ connection }) => connection === 'lost')
      }
      await fetch(`${server.url}/api/chats/chat`, { method: 'DELETE' })
      network.isDown = false
      const empty = await chat.until(({ messages }) => messages.length === 0)
      expect(empty).toMatchObject({ status: 'ready', error: undefined })

      await chat.store.send('New')
      const { messages, error } = await chat.until(hasAnswers(1))
      expect(textsOf(messages)).toEqual(['New', 'Answer 1.'])
      expect(error).toBeUndefined()
    },
  )
})

describe('a chat that is closed', () => {
  test('leaves nothing open on the server, and its run goes on', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    const followers = new Set<() => void>()
    const allLeft = Promise.withResolvers<void>()
    await using server = await startTestServer({
      agents: [agent],
      wrapStore: store => ({
        ...store,
        log: {
          ...store.log,
          onAppend(log, ring) {
            const unlisten = store.log.onAppend(log, ring)
            followers.add(unlisten)
            return () => {
              unlisten()
              followers.delete(unlisten)
              if (followers.size === 0) allLeft.resolve()
            }
          },
        },
      }),
    })
    using chat = recordChat(server.url)
    await chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    expect(followers.size).toBe(1)
    chat.store.close()
    await allLeft.promise
    letGo()

    chat.store.open()
    const { messages } = await chat.until(hasAnswers(1))
    expect(textsOf(messages)).toEqual(['Hello', 'Well, yes.'])
  })
})

/** The real network, which the test can switch off. */
function switchedFetch() {
  const network = {
    isDown: false,
    async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
      if (network.isDown) throw new TypeError('fetch failed')
      return fetch(input, init)
    },
  }
  return network
}
