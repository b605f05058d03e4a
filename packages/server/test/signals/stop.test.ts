import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer, loadChat, sendJson, stop, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import {
  type Nodes,
  type NodesOptions,
  sharedStores,
  startNodes,
  withoutBells,
} from '@throughline/testing/server/start-nodes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { ada, adasChat, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { until } from '@throughline/testing/waits/until'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'

describe.each(sharedStores)('on $name', ({ open }) => {
  test('a stop on another node ends the run: it is aborted, its viewers see it, and what was shown is saved', async () => {
    const aborted = Promise.withResolvers<void>()
    const agent = scriptedAgent('assistant', async function* ({ signal }) {
      signal.addEventListener('abort', () => aborted.resolve())
      yield say('Wait')
      await new Promise(() => undefined)
    })
    await using nodes = await startNodes({ open, agents: [agent] })
    await using stream = new SseBytes(await ask(nodes.first))
    await stream.until('Wait')
    expect(await (await stop(nodes.second)).json()).toEqual({ result: 'stopped' })
    await aborted.promise
    expect(valuesOf(await stream.rest()).at(-1)).toEqual({ type: 'abort', reason: 'Stopped by the user.' })
    expect(await loadAnswer(nodes.second)).toMatchObject({
      metadata: { status: 'stopped', statusText: 'Stopped by the user.' },
      parts: [{ text: 'Wait', state: 'done' }],
    })
  })

  test('stops of both nodes at once are one stop, and a later one says that the run has ended', async () => {
    await using nodes = await startHeld({ open })
    const asked = [nodes.first, nodes.second, nodes.second, nodes.first].map(url => stop(url))
    const results = await Promise.all(asked.map(async response => (await response).json()))
    expect(results).toContainEqual({ result: 'stopped' })
    const before = await loadChat(nodes.first)
    for (const url of [nodes.first, nodes.second])
      expect(await (await stop(url)).json()).toEqual({ result: 'already-ended' })
    expect(await (await stop(nodes.second, 'nowhere')).json()).toEqual({ result: 'not-found' })
    expect(await loadChat(nodes.second)).toEqual(before)
  })

  test('a stop reaches the run although the ring was lost', async () => {
    await using nodes = await startHeld({ open, wrapStore: withoutBells })
    expect(await (await stop(nodes.second)).json()).toEqual({ result: 'stopping' })
    await until(async () => (await nodes.store.runs.unfinished()).length === 0)
    expect((await loadAnswer(nodes.second)).metadata?.status).toBe('stopped')
  })

  test('a response is cancelled on another node, and only that one', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Wait')] })
    await using nodes = await startNodes({ open, agents: [agent] })
    const body = { model: 'assistant', input: 'Hello', conversation: 'chat', background: true }
    const { id } = await (await sendJson(`${nodes.first}/v1/responses`, body)).json()
    const cancel = async () => (await sendJson(`${nodes.second}/v1/responses/${id}/cancel`, {})).json()
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
    await using next = new SseBytes(await ask(nodes.first, { messageId: 'next' }))
    await next.until('Wait')
    await cancel()
    expect(await nodes.store.runs.unfinished()).toHaveLength(1)
  })

  test('a chat is removed on another node than its run', async () => {
    await using nodes = await startHeld({ open })
    expect((await fetch(`${nodes.second}/api/chats/chat`, { method: 'DELETE' })).status).toBe(204)
    expect((await fetch(`${nodes.first}/api/chats/chat`)).status).toBe(404)
    await using again = new SseBytes(await ask(nodes.second))
    await again.until('Wait')
  })

  test('a stop whose process is gone is not lost: whoever takes the run over ends it as stopped', async () => {
    await using fixture = await temporaryStore()
    const { store } = fixture
    const logger = pino({ level: 'silent' })
    const agents = [scriptedAgent('assistant', [say('Yes'), finish])]
    const left = testRun('left')
    {
      await using node = await createThroughline({ store, agents, logger })
      // A run of a process that died after it was saved.
      await store.runs.claim(left, startOf(left))
      expect(await node.stop({ ownerId: ada, chatId: 'chat' })).toBe('stopping')
    }
    await using _next = await createThroughline({ store, agents, logger })
    await until(async () => (await store.runs.get(ada, left.id))?.status !== 'running')
    expect(await store.runs.get(ada, left.id)).toMatchObject({ status: 'stopped' })
    expect(await store.messages.find(adasChat, left.answerId)).toMatchObject({
      metadata: { status: 'stopped', statusText: 'Stopped by the user.' },
    })
  })

  test('a stop that comes from another node while the run begins stops it', async () => {
    const isClaimed = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const { agent } = heldAgent('assistant', { before: [say('Wait')] })
    await using server = await startTestServer({
      agents: [agent],
      wrapStore: store => ({
        ...store,
        runs: {
          ...store.runs,
          async claim(run, start) {
            const isDone = await store.runs.claim(run, start)
            isClaimed.resolve()
            await letGo.promise
            return isDone
          },
        },
      }),
    })
    const other = await createThroughline({
      store: server.store,
      agents: [agent],
      logger: pino({ level: 'silent' }),
    })
    const asked = ask(server.url)
    await isClaimed.promise
    const stopping = other.stop({ ownerId: 'local', chatId: 'chat' })
    await until(async () => (await server.store.runs.toStop()).length === 1)
    letGo.resolve()
    expect(await stopping).toBe('stopped')
    expect(await (await asked).text()).toContain('Stopped by the user.')
    await other.close()
  })

  test('whoever has seen the end of an answer on one node may send the next message on another', async () => {
    await using nodes = await startNodes({ open, agents: [scriptedAgent('assistant', [say('Yes'), finish])] })
    for (let round = 0; round < 12; round += 1) {
      const [from, to] = round % 2 === 0 ? [nodes.first, nodes.second] : [nodes.second, nodes.first]
      await (await ask(from, { messageId: `a-${round}` })).text()
      // `reject` is the default here.
      expect((await submit(to, { messageId: `b-${round}` })).status).toBe(202)
      await (await fetch(`${from}/api/chat/chat/stream`)).text()
      const change = { messages: [{ id: `b-${round}`, metadata: { colour: 'blue' } }] }
      const changed = await sendJson(`${from}/api/chats/chat/messages`, change, { method: 'PATCH' })
      expect(changed.status).toBe(200)
    }
  })

  test('a run is followed and resumed on any node, with the same bytes', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')], after: [say(' for it')] })
    await using nodes = await startNodes({ open, agents: [agent] })
    await using here = new SseBytes(await ask(nodes.first))
    await here.until('Wait')
    await using there = new SseBytes(await fetch(`${nodes.second}/api/chat/chat/stream`))
    await using again = new SseBytes(await ask(nodes.second))
    letGo()
    const bytes = (await here.rest()).toString()
    expect((await there.rest()).toString()).toBe(bytes)
    expect((await again.rest()).toString()).toBe(bytes)
  })
})

/** Two nodes. The first one has a run that waits. */
async function startHeld(options: NodesOptions): Promise<Nodes> {
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  const nodes = await startNodes({ ...options, agents: [agent] })
  await new SseBytes(await ask(nodes.first)).until('Wait')
  return nodes
}
