import { renewStore } from '@throughline/store'
import { heldAgent, say, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, problemOf, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, valuesOf, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { restorableStores } from '@throughline/testing/store/restorable-store'
import { describe, expect, test } from 'vitest'

const delegation = () => ({
  model: scriptedModel({
    master: [[saying('I ask.'), asking('helper')], [saying('Done.')]],
    helper: [[saying('I note.'), calling('note', { text: 'x' })], [saying('Noted.')]],
  }),
  subAgents: [subAgent('helper', { tools: ['note'] })],
})

describe('a client that counts chunks', () => {
  test.each(['', '?subAgents=inline', '?subAgents=hidden', '?sdk=5', '?sdk=6&subAgents=inline'])(
    'gets the same bytes after any number of them: %s',
    async form => {
      await using server = await startDelegation(delegation())
      const { streamId, bytes } = await asked(server.url, form)
      const sseEvents = sseEventsIn(bytes)
      // The last one is `[DONE]`.
      for (let count = 0; count < sseEvents.length - 1; count += 1) {
        const rest = Buffer.concat(sseEvents.slice(count).map(event => event.bytes))
        const response = await resume({ url: server.url, id: streamId, startIndex: count, form })
        expect((await eventsOf(response)).toString()).toBe(rest.toString())
      }
    },
  )

  test('gets the same at the address that the transport makes of one with parameters', async () => {
    await using server = await startDelegation(delegation())
    const form = '?subAgents=inline'
    const { streamId, bytes } = await asked(server.url, form)
    const path = `/api/chat${form}/${encodeURIComponent(streamId)}/stream?startIndex=2`
    const rest = await eventsOf(await fetch(`${server.url}${path}`))
    expect(rest.toString()).toBe(
      Buffer.concat(
        sseEventsIn(bytes)
          .slice(2)
          .map(event => event.bytes),
      ).toString(),
    )
  })

  test('gets the run that it was reading, whatever came after it', async () => {
    await using server = await startTestServer()
    const { streamId, bytes } = await asked(server.url)
    await asked(server.url, '', { messageId: 'second' })
    const rest = await eventsOf(await resume({ url: server.url, id: streamId, startIndex: 0 }))
    expect(rest.toString()).toBe(bytes.toString())
  })

  test('does not get the rest of a stream of a store that may have lost some of it', async () => {
    const { restorableStore } = restorableStores[0]
    await using context = await restorableStore()
    const openStore = async () => {
      const { store } = context
      return { store, folder: '', reopen: async () => store, async [Symbol.asyncDispose]() {} }
    }
    const before = await startTestServer({ openStore })
    const { streamId: id } = await asked(before.url)
    await before[Symbol.asyncDispose]()
    await context.reopen(renewStore)
    await using server = await startTestServer({ openStore })
    const lost = await resume({ url: server.url, id, startIndex: 2 })
    expect(await problemOf(lost)).toMatchObject({ status: 404, code: 'stream-not-found' })
    const { streamId, bytes } = await asked(server.url, '', { messageId: 'second' })
    const rest = await eventsOf(await resume({ url: server.url, id: streamId, startIndex: 0 }))
    expect(rest.toString()).toBe(bytes.toString())
  })

  test('is told about a finish when the answer was stopped, and when there is nothing else to tell', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well,')] })
    await using server = await startTestServer({ agents: [agent] })
    const response = await ask(server.url)
    const id = response.headers.get('x-workflow-run-id') ?? ''
    await using stream = new SseBytes(response)
    await stream.until('Well,')
    await stop(server.url)
    const count = valuesOf(await stream.rest()).length
    const rest = async (startIndex: number) =>
      valuesOf(await eventsOf(await resume({ url: server.url, id, startIndex })))
    expect(await rest(count - 1)).toMatchObject([{ type: 'abort' }, { type: 'finish' }])
    expect(await rest(count)).toEqual([{ type: 'finish' }])
    expect(await rest(count + 9)).toEqual([{ type: 'finish' }])
  })

  test('gets the last chunks of what there is, and is told the index of the last one', async () => {
    await using server = await startTestServer({ agents: [scriptedAgent('assistant', textToolText)] })
    const { streamId: id, bytes } = await asked(server.url)
    const chunks = valuesOf(bytes)
    for (const startIndex of [-1, -3, -chunks.length, -chunks.length - 5]) {
      const response = await resume({ url: server.url, id, startIndex })
      expect(response.headers.get('x-workflow-stream-tail-index')).toBe(String(chunks.length - 1))
      expect(valuesOf(await eventsOf(response))).toEqual(chunks.slice(startIndex))
    }
  })

  test('may name its chat, while the answer is being written and when it has missed the end', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well,')], after: [say(' yes.')] })
    await using server = await startTestServer({ agents: [agent] })
    const { url } = server
    expect((await resume({ url, id: 'chat', startIndex: 0 })).status).toBe(204)
    await using stream = new SseBytes(await ask(url))
    const seen = valuesOf(await stream.until('Well,')).length
    await using back = new SseBytes(await resume({ url, id: 'chat', startIndex: 0 }))
    await back.until('Well,')
    letGo()
    const whole = valuesOf(await stream.rest())
    expect(valuesOf(await back.rest())).toEqual(whole)
    const rest = await eventsOf(await resume({ url, id: 'chat', startIndex: seen }))
    expect(valuesOf(rest)).toEqual(whole.slice(seen))
    expect((await resume({ url, id: 'chat', startIndex: 0 })).status).toBe(204)
    expect((await resume({ url, id: 'nowhere', startIndex: 3 })).status).toBe(204)
  })

  test('counts a UI event that it has missed, so that its index stays right', async () => {
    const { agent, letGo } = heldAgent('assistant', {
      before: [{ type: 'ui-event', data: 'old' }, say('Well,')],
      after: [say(' yes.')],
    })
    await using server = await startTestServer({ agents: [agent] })
    const { url } = server
    await using stream = new SseBytes(await ask(url))
    await stream.until('Well,')
    await using back = new SseBytes(await resume({ url, id: 'chat', startIndex: 0 }))
    const seen = valuesOf(await back.until('Well,'))
    expect(JSON.stringify(seen)).not.toContain('"old"')
    letGo()
    const whole = valuesOf(await stream.rest())
    const rest = await eventsOf(await resume({ url, id: 'chat', startIndex: seen.length }))
    expect(valuesOf(rest)).toEqual(whole.slice(seen.length))
    // Who sends the same message again has missed it, too. That stream leaves it out, and its name says so.
    const again = await asked(url)
    const counted = valuesOf(again.bytes)
    expect(counted).toHaveLength(whole.length - 1)
    const tail = await eventsOf(await resume({ url, id: again.streamId, startIndex: 2 }))
    expect(valuesOf(tail)).toEqual(counted.slice(2))
  })

  test.each(['', 'x', '1.5', '1e3', '--1', '99999999999999999999'])(
    'is refused with the index %j, which is no whole number',
    async startIndex => {
      await using server = await startTestServer()
      await asked(server.url)
      const response = await fetch(`${server.url}/api/chat/chat/stream?startIndex=${startIndex}`)
      expect(await problemOf(response)).toMatchObject({ status: 400, code: 'invalid-start-index' })
    },
  )

  test('is refused for data stream lines, which are no chunks', async () => {
    await using server = await startTestServer()
    const response = await fetch(`${server.url}/api/chat/chat/stream?startIndex=1&format=data-stream`)
    expect(await problemOf(response)).toMatchObject({ status: 400, code: 'unsupported-position' })
  })
})

describe('the name of a stream', () => {
  test.each(['run~0~0', 'RUN~999~0', 'RUN~-1~0', 'RUN~0', 'RUN~~', 'RUN~0~0~x', '~'])(
    'that no stream has is not found: %s',
    async name => {
      await using server = await startTestServer()
      const { streamId } = await asked(server.url)
      const id = name.replace('RUN', streamId.split('~')[0] ?? '')
      const response = await resume({ url: server.url, id, startIndex: 0 })
      expect(await problemOf(response)).toMatchObject({ status: 404, code: 'stream-not-found' })
    },
  )

  test('is none to another owner', async () => {
    const tokens = new Map(['ada', 'bob'].map(owner => [`token-of-${owner}`, ownerIdOf(owner)]))
    await using server = await startTestServer({ tokens })
    const by = (owner: string) => ({ authorization: `Bearer token-of-${owner}` })
    const { streamId: id } = await asked(server.url, '', { headers: by('ada') })
    const url = `${server.url}/api/chat/${id}/stream?startIndex=0`
    expect((await fetch(url, { headers: by('ada') })).status).toBe(200)
    const refused = await problemOf(await fetch(url, { headers: by('bob') }))
    expect(refused).toMatchObject({ status: 404, code: 'stream-not-found' })
  })

  test('begins nothing', async () => {
    await using server = await startTestServer()
    const { streamId: id } = await asked(server.url)
    await eventsOf(await resume({ url: server.url, id, startIndex: 0 }))
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })
})

async function asked(url: string, form = '', question: Parameters<typeof ask>[1] = {}) {
  const response = await ask(url, { ...question, form })
  const streamId = response.headers.get('x-workflow-run-id') ?? ''
  return { streamId, bytes: await eventsOf(response) }
}

interface Resumed {
  readonly url: string
  readonly id: string
  readonly startIndex: number
  readonly form?: string
}

function resume({ url, id, startIndex, form = '' }: Resumed): Promise<Response> {
  return fetch(
    `${url}/api/chat/${encodeURIComponent(id)}/stream?startIndex=${startIndex}${form.replace('?', '&')}`,
  )
}

async function eventsOf(response: Response): Promise<Buffer> {
  expect(response.status).toBe(200)
  return withoutRetry(Buffer.from(await response.arrayBuffer()))
}
