import { isMessageId, type Message } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { memoryOutbox } from './memory-outbox.ts'
import { hasAnswers, isReady, recordChat, textsOf } from './recorded-chat.ts'

const queue = { onBusy: 'queue' } as const

describe('with an outbox, while the server is away', () => {
  test('messages wait, a person can write on, and all are sent in order, each once', async () => {
    await using world = await startWorld()
    using chat = recordChat(world.url, world.options)
    await chat.until(isReady)
    world.isAway = true
    void chat.store.send('First', queue)
    const waiting = await chat.until(({ unsent }) => unsent.size === 1)
    expect(waiting.status).toBe('ready')
    void chat.store.send('Second', queue)
    void chat.store.send('Third', queue)
    const all = await chat.until(({ unsent }) => unsent.size === 3)
    expect(all.status).toBe('ready')
    expect(textsOf(all.messages)).toEqual(['First', 'Second', 'Third'])

    world.isAway = false
    const { messages, unsent } = await chat.until(hasAnswers(3))
    expect(textsOf(messages)).toEqual(['First', 'Yes.', 'Second', 'Yes.', 'Third', 'Yes.'])
    expect(unsent.size).toBe(0)
    expect(world.runs()).toBe(3)
    expect(world.outbox.ids()).toEqual([])
  })

  test('a message outlives its page: the next one shows it and sends it under its id', async () => {
    await using world = await startWorld()
    world.isAway = true
    const page = recordChat(world.url, { ...world.options, isNew: true })
    void page.store.send('Hello', queue)
    const [id] = (await page.until(({ unsent }) => unsent.size === 1)).unsent.keys()
    page[Symbol.dispose]()
    // A page that is gone sends nothing any more.
    page.store.update({ headers: gone })

    world.isAway = false
    using next = recordChat(world.url, world.options)
    const { messages } = await next.until(hasAnswers(1))
    expect(messages[0]?.id).toBe(idOf(isMessageId, id ?? ''))
    expect(world.runs()).toBe(1)
    expect(messages).toEqual((await loadChat(world.url)).messages)
  })

  test('a message that is discarded is never sent', async () => {
    await using world = await startWorld()
    using chat = recordChat(world.url, world.options)
    await chat.until(isReady)
    world.isAway = true
    void chat.store.send('Never', queue)
    const [id = ''] = (await chat.until(({ unsent }) => unsent.size === 1)).unsent.keys()
    void chat.store.send('Sent', queue)
    chat.store.discard(id)
    world.isAway = false
    const { messages } = await chat.until(hasAnswers(1))
    expect(textsOf(messages)).toEqual(['Sent', 'Yes.'])
    expect(world.outbox.ids()).toEqual([])
  })

  test('a message that the server refuses for good is not sent again, and does not hold up the next one', async () => {
    await using world = await startWorld()
    using chat = recordChat(world.url, world.options)
    await chat.until(isReady)
    void chat.store.send('To nobody', { ...queue, agent: 'nobody' })
    void chat.store.send('Hello', queue)
    const { unsent, messages } = await chat.until(hasAnswers(1))
    expect([...unsent.values()]).toMatchObject([{ code: 'unknown-agent' }])
    expect(textsOf(messages)).toContain('To nobody')
    expect(world.outbox.ids()).toHaveLength(1)
  })

  test('a message that was refused keeps its own error while a later one waits, and can be sent again', async () => {
    await using world = await startWorld()
    using chat = recordChat(world.url, world.options)
    await chat.until(isReady)
    world.refusal = 'invalid-message'
    await chat.store.send('Refused', queue)
    const [id = ''] = (await chat.until(({ unsent }) => unsent.size === 1)).unsent.keys()
    world.refusal = undefined
    world.isAway = true
    void chat.store.send('Waits', queue)
    const { unsent } = await chat.until(snapshot => snapshot.unsent.size === 2)
    expect([...unsent.values()].map(({ isTemporary }) => isTemporary)).toEqual([false, true])

    world.isAway = false
    void chat.store.retry(id)
    const { messages } = await chat.until(hasAnswers(2))
    expect(textsOf(messages)).toEqual(['Waits', 'Yes.', 'Refused', 'Yes.'])
    expect(world.outbox.ids()).toEqual([])
  })

  test('a message whose response is lost is not kept any more once the log has brought it', async () => {
    await using world = await startWorld()
    using chat = recordChat(world.url, world.options)
    await chat.until(isReady)
    world.losesResponses = true
    void chat.store.send('Hello', queue)
    const { unsent } = await chat.until(hasAnswers(1))
    expect(unsent.size).toBe(0)
    expect(world.outbox.ids()).toEqual([])
  })
})

test('a message is sent also when the outbox has no room for it', async () => {
  await using world = await startWorld()
  const full = {
    ...world.outbox,
    keep() {
      throw new Error('No room.')
    },
  }
  using chat = recordChat(world.url, { ...world.options, outbox: full })
  await chat.until(isReady)
  await chat.store.send('Hello', queue)
  expect(textsOf((await chat.until(hasAnswers(1))).messages)).toEqual(['Hello', 'Yes.'])
})

test('a page for a new chat shows it also when another page has sent its first message', async () => {
  await using world = await startWorld()
  world.isAway = true
  using one = recordChat(world.url, { ...world.options, isNew: true })
  void one.store.send('Hello', queue)
  await one.until(({ unsent }) => unsent.size === 1)
  // For this page, the server stays away.
  using other = recordChat(world.url, { outbox: world.outbox })
  await other.until(hasAnswers(1))
  expect(textsOf((await one.until(hasAnswers(1))).messages)).toEqual(['Hello', 'Yes.'])
  expect(world.runs()).toBe(1)
})

test('a message that is queued while an answer is written is shown apart, until its turn', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  const queued = Promise.withResolvers<Message>()
  using chat = recordChat(server.url, { onQueued: ({ message }) => queued.resolve(message) })
  await chat.store.send('First')
  await chat.until(({ status }) => status === 'streaming')
  await chat.store.send('Second', queue)
  expect(textsOf([await queued.promise])).toEqual(['Second'])
  await chat.nextFrame()
  expect(chat.store.getSnapshot()).toMatchObject({ queued: [], status: 'streaming' })
  expect(chat.snapshots.some(({ queued }) => textsOf(queued)[0] === 'Second')).toBe(true)
  expect(chat.snapshots.some(({ messages }) => textsOf(messages).includes('Second'))).toBe(false)

  letGo()
  const { messages } = await chat.until(hasAnswers(2))
  expect(textsOf(messages)).toEqual(['First', 'Well, yes.', 'Second', 'Well, yes.'])
})

function gone(): never {
  throw new Error('This page is gone.')
}

/** A server that can be away for POST requests, and an outbox. */
async function startWorld() {
  let runs = 0
  const agent = scriptedAgent('assistant', () => {
    runs += 1
    return [say('Yes.'), finish]
  })
  const server = await startTestServer({ agents: [agent] })
  const outbox = memoryOutbox()
  const world = {
    url: server.url,
    outbox,
    isAway: false,
    /** The server takes requests, and their responses do not arrive. */
    losesResponses: false,
    /** With this code every POST request is refused. */
    refusal: undefined as string | undefined,
    runs: () => runs,
    options: {
      outbox,
      fetch: async (input: RequestInfo | URL, init: RequestInit = {}) => {
        if (init.method !== 'POST') return fetch(input, init)
        if (world.isAway) throw new TypeError('fetch failed')
        if (world.refusal) return Response.json({ code: world.refusal }, { status: 400 })
        const response = await fetch(input, init)
        if (world.losesResponses) throw new TypeError('fetch failed')
        return response
      },
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return world
}
