import { heldAgent, say, textToolText } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { approvalServer } from '@throughline/testing/server/waiting-call'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  workflowTransport,
} from './ai-sdk-workflow/transport.ts'

// The transport tells of every cut on the console.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
afterEach(() => {
  vi.restoreAllMocks()
})

const question: UIMessage = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }

const delegation = () => ({
  model: scriptedModel({
    master: [[saying('I ask.'), asking('helper')], [saying('Done.')]],
    helper: [[saying('I note.'), calling('note', { text: 'x' })], [saying('Noted.')]],
  }),
  subAgents: [subAgent('helper', { tools: ['note'] })],
})

describe('WorkflowChatTransport, cut after every chunk', () => {
  test.each(['', '?subAgents=inline', '?subAgents=hidden', '?sdk=6'])(
    'has each chunk once, in order: %s',
    async form => {
      await using server = await startDelegation(delegation())
      const api = `${server.url}/api/chat${form}`
      const ends: number[] = []
      const cut = cutting(1)
      const transport = workflowTransport({
        api,
        fetch: cut.fetch,
        onChatEnd: end => ends.push(end.chunkIndex),
      })
      const read = await chunksOf(await send(transport))
      const whole = await chunksOf(await send(workflowTransport({ api, fetch })))
      expect(read).toEqual(whole)
      expect(cut.urls.length).toBe(whole.length)
      expect(cut.urls.at(-1)).toMatch(new RegExp(`\\?startIndex=${whole.length - 1}$`))
      expect(ends).toEqual([whole.length])
    },
  )

  test('shows the answer as it is saved', async () => {
    await using server = await startTestServer()
    const transport = workflowTransport({ api: `${server.url}/api/chat`, fetch: cutting(2).fetch })
    const stream = await send(transport)
    const messages = await Array.fromAsync(readUIMessageStream({ stream, terminateOnError: true }))
    expect(fromWire(messages.at(-1))).toEqual(await loadAnswer(server.url))
  })

  test('has each chunk once after a decision, too', async () => {
    const { server, url, removed } = await approvalServer()
    await using _server = server
    const cut = cutting(1)
    const transport = workflowTransport({ api: `${url}/api/chat`, fetch: cut.fetch })
    const stream = await send(transport)
    const answer = (await Array.fromAsync(readUIMessageStream({ stream }))).at(-1)
    const decided: UIMessage = JSON.parse(
      JSON.stringify(answer)
        .replace('"approval-requested"', '"approval-responded"')
        .replace('"approval":{', '"approval":{"approved":true,'),
    )
    const continued = await send(transport, [question, decided])
    const rest = await Array.fromAsync(readUIMessageStream({ message: decided, stream: continued }))
    expect(fromWire(rest.at(-1))).toEqual(await loadAnswer(url))
    expect(removed).toEqual(['all'])
  })

  test('ends when the answer was stopped, which has no finish of its own', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well,')] })
    await using server = await startTestServer({ agents: [agent] })
    const cut = cuttingLive(Number.POSITIVE_INFINITY)
    const transport = workflowTransport({ api: `${server.url}/api/chat`, fetch: cut.fetch })
    const [shown, whole] = (await send(transport)).tee()
    const reader = shown.getReader()
    while ((await reader.read()).value?.type !== 'text-delta');
    await stop(server.url)
    const read = chunksOf(whole)
    const types = (await read).map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['abort', 'finish'])
    expect(cut.urls).toHaveLength(2)
  })
})

describe('WorkflowChatTransport that comes back by the id of its chat', () => {
  test('reads the answer that is being written from its beginning, and goes on after a cut', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using server = await startTestServer({ agents: [agent] })
    const api = `${server.url}/api/chat`
    const first = chunksOf(await send(workflowTransport({ api, fetch })))
    while ((await fetch(`${api}/chat/stream`, { method: 'HEAD' })).status !== 200);
    const cut = cuttingLive(4)
    const read = chunksOf(
      await workflowTransport({ api, fetch: cut.fetch }).reconnectToStream({ chatId: 'chat' }),
    )
    // Not before it has come back: to a chat in which nothing goes on, the server would respond with 204.
    await vi.waitFor(() => expect(cut.urls).toHaveLength(2), { timeout: 30_000 })
    letGo()
    expect(await read).toEqual(await first)
  })

  test('reads the last chunks from a negative index on, and then each further one once', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: textToolText.slice(0, -1) })
    await using server = await startTestServer({ agents: [agent] })
    const api = `${server.url}/api/chat`
    const stream = await send(workflowTransport({ api, fetch }))
    const [shown, whole] = stream.tee()
    const reader = shown.getReader()
    while ((await reader.read()).value?.type !== 'tool-output-available');
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const cut = cuttingLive(2)
    const transport = workflowTransport({ api, fetch: cut.fetch })
    // The transport drops deltas whose beginning it has not read, so all that is left is what began later.
    const read = chunksOf(await transport.reconnectToStream({ chatId: 'chat', startIndex: -2 }))
    await vi.waitFor(() => expect(cut.urls).toHaveLength(2), { timeout: 30_000 })
    letGo()
    const all = await chunksOf(whole)
    const tail = await read
    expect(all.slice(-tail.length)).toEqual(tail)
    expect(tail.at(-1)).toMatchObject({ type: 'finish' })
    expect(cut.urls[0]).toMatch(/startIndex=-2$/)
    expect(cut.urls[1]).toMatch(/startIndex=\d+$/)
    // Without the index of the last chunk it would say that it has to begin again.
    expect(warn.mock.calls.flat().join()).not.toContain('x-workflow-stream-tail-index')
  })
})

type Transport = ReturnType<typeof workflowTransport>

function send(transport: Transport, messages: UIMessage[] = [question]) {
  return transport.sendMessages({ chatId: 'chat', messages, trigger: 'submit-message' })
}

async function chunksOf(stream: ReadableStream<UIMessageChunk> | null): Promise<readonly UIMessageChunk[]> {
  return Array.fromAsync(stream ?? [])
}

/** A `fetch` whose bodies break off in the middle of the event after a number of whole ones, when all have come. */
function cutting(count: number) {
  return cuttingBodies(async function* (response) {
    const bytes = Buffer.from(await response.arrayBuffer())
    const sseEvents = sseEventsIn(bytes).filter(({ data }) => data !== '[DONE]')
    if (sseEvents.length <= count) return yield bytes
    yield Buffer.concat(sseEvents.slice(0, count).map(event => event.bytes))
    yield sseEvents[count]?.bytes.subarray(0, 12) ?? Buffer.alloc(0)
    throw new Error('The connection broke.')
  })
}

/** The same while the stream goes on: the first body breaks off after a number of events. */
function cuttingLive(count: number) {
  let requests = 0
  return cuttingBodies(async function* (response) {
    requests += 1
    let bytes = Buffer.alloc(0)
    for await (const piece of response.body ?? []) {
      yield piece
      bytes = Buffer.concat([bytes, piece])
      if (requests === 1 && sseEventsIn(bytes).length >= count) throw new Error('The connection broke.')
    }
  })
}

function cuttingBodies(bodyOf: (response: Response) => AsyncIterable<Uint8Array>) {
  const urls: string[] = []
  const fetchCut: typeof fetch = async (url, init) => {
    urls.push(String(url))
    const response = await fetch(url, init)
    if (!response.ok || response.body === null) return response
    const pieces = bodyOf(response)[Symbol.asyncIterator]()
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(Uint8Array.from(value))
      },
    })
    return new Response(body, response)
  }
  return { urls, fetch: fetchCut }
}
