import { isMessageId } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { hasAnswers, isReady, recordChat, textsOf } from './recorded-chat.ts'

describe('a message that does not reach the server', () => {
  test('stays visible with the reason, and a retry sends it under its id and gives one run', async () => {
    const counted = countedAgent()
    await using server = await startTestServer({ agents: [counted.agent] })
    const network = switchedNetwork()
    using chat = recordChat(server.url, { fetch: network.fetch })
    await chat.until(isReady)
    network.breakPosts('before the server')
    await chat.store.send('Hello')
    const failed = await chat.until(({ unsent }) => unsent.size === 1)

    expect(failed.status).toBe('ready')
    expect(textsOf(failed.messages)).toEqual(['Hello'])
    const id = idOf(isMessageId, failed.messages[0]?.id ?? '')
    expect(failed.unsent.get(id)).toMatchObject({
      code: 'network',
      message: 'The server cannot be reached. Check the connection.',
    })

    network.mend()
    await Promise.all([chat.store.retry(id), chat.store.retry(id)])
    const { messages, unsent } = await chat.until(hasAnswers(1))
    expect(unsent.size).toBe(0)
    expect(messages[0]?.id).toBe(id)
    expect(messages).toEqual((await loadChat(server.url)).messages)
    expect(counted.runs()).toBe(1)
    const since = chat.snapshots.slice(chat.snapshots.indexOf(failed))
    for (const snapshot of since) expect(textsOf(snapshot.messages)[0]).toBe('Hello')
  })

  test('is sent again by itself when the server is only out of order for a moment', async () => {
    const counted = countedAgent()
    await using server = await startTestServer({ agents: [counted.agent] })
    const network = switchedNetwork()
    using chat = recordChat(server.url, { fetch: network.fetch })
    network.breakPosts('with 503', 2)
    await chat.store.send('Hello')
    await chat.until(hasAnswers(1))

    expect(counted.runs()).toBe(1)
    expect(chat.snapshots.every(({ unsent }) => unsent.size === 0)).toBe(true)
  })

  test('is sent again when nobody answers', async () => {
    const counted = countedAgent()
    await using server = await startTestServer({ agents: [counted.agent], heartbeatMs: 50 })
    const network = switchedNetwork()
    using chat = recordChat(server.url, { fetch: network.fetch, stallMs: 300 })
    await chat.until(isReady)
    network.breakPosts('by silence', 1)
    await chat.store.send('Hello')
    await chat.until(hasAnswers(1))

    expect(counted.runs()).toBe(1)
  })

  test('is not sent again when the server refuses it', async () => {
    await using server = await startTestServer()
    const network = switchedNetwork()
    using chat = recordChat(server.url, { fetch: network.fetch, agent: 'nobody' })
    await chat.store.send('Hello')
    const { unsent, messages } = await chat.until(snapshot => snapshot.unsent.size === 1)

    expect(unsent.get(messages[0]?.id ?? '')).toMatchObject({ code: 'unknown-agent', status: 400 })
    expect(network.posts()).toBe(1)
  })

  test('because the chat is busy waits for a retry, behind the answer', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    await using server = await startTestServer({ agents: [agent] })
    using chat = recordChat(server.url)
    await chat.store.send('First')
    await chat.until(({ status }) => status === 'streaming')
    await chat.store.send('Second')
    const busy = await chat.until(({ unsent }) => unsent.size === 1)

    expect(busy.status).toBe('streaming')
    const [[id, error] = []] = busy.unsent
    expect(error).toMatchObject({ code: 'chat-busy', status: 409 })
    letGo()
    await chat.untilSaved(1)
    await chat.store.retry(id ?? '')
    const { messages } = await chat.until(hasAnswers(2))
    expect(textsOf(messages)).toEqual(['First', 'Well, yes.', 'Second', 'Well, yes.'])
  })
})

describe('a message that reached the server', () => {
  test('is not called unsent when every answer to it was lost, and gives one run', async () => {
    const counted = countedAgent()
    await using server = await startTestServer({ agents: [counted.agent] })
    const network = switchedNetwork()
    using chat = recordChat(server.url, { fetch: network.fetch })
    await chat.store.send('First')
    await chat.untilSaved(1)
    network.breakPosts('after the server')
    await chat.store.send('Second')
    await chat.nextFrame()
    const { unsent, messages } = await chat.until(hasAnswers(2))

    expect(network.posts()).toBeGreaterThan(2)
    expect([...unsent.keys()]).toEqual([])
    expect(textsOf(messages)).toEqual(['First', 'Yes.', 'Second', 'Yes.'])
    expect(counted.runs()).toBe(2)
  })

  test('cannot be sent again', async () => {
    await using server = await startTestServer()
    const network = switchedNetwork()
    using chat = recordChat(server.url, { fetch: network.fetch })
    await chat.store.send('Hello')
    const { messages } = await chat.until(hasAnswers(1))
    await chat.store.retry(messages[0]?.id ?? '')
    await chat.store.retry('nothing')

    expect(network.posts()).toBe(1)
  })

  test('is shown with its answer even when the chat was closed meanwhile and opened again', async () => {
    await using server = await startTestServer()
    using chat = recordChat(server.url)
    await chat.until(isReady)
    const sent = chat.store.send('Hello')
    chat.store.close()
    chat.store.open()
    await sent
    await chat.nextFrame()
    const [message] = chat.store.getSnapshot().messages
    await chat.store.retry(message?.id ?? '')
    const { messages, unsent } = await chat.until(hasAnswers(1))

    expect(messages).toEqual((await loadChat(server.url)).messages)
    expect(messages[0]?.id).toBe(message?.id)
    expect(unsent.size).toBe(0)
  })
})

function countedAgent() {
  let runs = 0
  const agent = scriptedAgent('assistant', () => {
    runs += 1
    return [say('Yes.'), finish]
  })
  return { agent, runs: () => runs }
}

type Break = 'before the server' | 'after the server' | 'with 503' | 'by silence'

/** The real network, on which POST requests can be made to fail. */
function switchedNetwork() {
  let broken: { readonly how: Break; count: number } | undefined
  let posts = 0
  async function request(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    if (init.method !== 'POST') return fetch(input, init)
    posts += 1
    if (broken === undefined || broken.count === 0) return fetch(input, init)
    broken.count -= 1
    if (broken.how === 'with 503') return new Response('', { status: 503 })
    if (broken.how === 'by silence') return silence(init.signal)
    if (broken.how === 'after the server') await fetch(input, init)
    throw new TypeError('fetch failed')
  }
  return {
    fetch: request,
    posts: () => posts,
    breakPosts(how: Break, count = Number.POSITIVE_INFINITY) {
      broken = { how, count }
    },
    mend() {
      broken = undefined
    },
  }
}

function silence(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

test('a message keeps the metadata of the application, which cannot take the place of the fields that are ours', async () => {
  await using server = await startTestServer()
  using chat = recordChat(server.url)
  await chat.store.send('Hello', { metadata: { writtenBy: 'a button', communicationType: 'user-to-user' } })
  const { messages } = await chat.until(hasAnswers(1))
  const kept = { writtenBy: 'a button', communicationType: 'user-to-agent' }
  expect(messages[0]?.metadata).toMatchObject(kept)
  expect((await loadChat(server.url)).messages[0]?.metadata).toMatchObject(kept)
})

test('the model of a message, of another answer and of the chat are sent, and the message says which it is', async () => {
  const bodies: Record<string, unknown>[] = []
  await using server = await startTestServer()
  const fetch: typeof globalThis.fetch = async (address, init) => {
    if (init?.method === 'POST') bodies.push(JSON.parse(String(init.body)))
    return globalThis.fetch(address, init)
  }
  using chat = recordChat(server.url, { fetch, model: 'test:large' })
  await chat.until(isReady)
  // The server offers no models, so it refuses all of them. What was sent is what counts here.
  await chat.store.send('Hello')
  await chat.store.send('Hello', { model: 'test:small' })
  await chat.store.regenerate('question')
  await chat.store.regenerate('question', { model: 'test:small' })
  expect(bodies.map(({ model }) => model)).toEqual(['test:large', 'test:small', 'test:large', 'test:small'])
  const { messages } = chat.store.getSnapshot()
  expect(messages.map(({ metadata }) => metadata?.chosenModel)).toEqual(['test:large', 'test:small'])
})
