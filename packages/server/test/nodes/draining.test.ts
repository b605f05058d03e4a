import { isEndChunk } from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { sharedStores } from '@throughline/testing/store/shared-store'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/start-server.ts'
import { startServer } from '../../src/start-server.ts'
import { entriesOf, handNode } from './hand-node.ts'

const logger = pino({ level: 'silent' })
const quick = scriptedAgent('assistant', [say('Yes.'), finish])

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  test('a message whose run is taken over before it begins is accepted, and answered elsewhere', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    await using opened = new AsyncDisposableStack()
    const wrapped = afterClaim(store, async () => {
      shared.pass(15_000)
      const second = opened.use(await handNode({ store, agents: [{ ...quick, continues: true }] }))
      await second.node.sweep()
    })
    await using first = await handNode({ store: wrapped, agents: [quick] })
    const { runId, responseMessageId } = await first.send()
    await expect.poll(() => store.runs.unfinished()).toEqual([])
    const entries = await entriesOf(store.log)
    expect(entries.filter(({ chunk }) => isEndChunk(chunk))).toMatchObject([
      { runId, messageId: responseMessageId, chunk: { type: 'finish' } },
    ])
  })

  test('a message that a closing node has claimed, or still gets, is answered by another node', async () => {
    await using shared = await sharedStore()
    const { store } = shared
    let closing: Promise<void> | undefined
    const wrapped = afterClaim(store, async () => {
      closing ??= first.close()
    })
    const first = await start(wrapped, { drainMs: 0 })
    await using second = await start(store)
    await using claimed = new SseBytes(await ask(first.url, { chatId: 'claimed' }))
    expect((await claimed.rest()).toString()).toMatch(/"delta":"Yes\."[\s\S]*\[DONE]/)
    await closing
    expect(JSON.stringify(await loadAnswer(second.url, 'claimed'))).toContain('Yes.')
  })
})

describe('a node that goes down while another one is alive', () => {
  test('says that it is not ready, takes messages, and lets go of connections', async () => {
    await using world = await twoNodes({ drainMs: 60_000 })
    const { first } = world
    const open = await fetch(`${first.url}/health`)
    expect(open.headers.get('connection')).toBe('keep-alive')
    const drained = first.drain()
    await expect.poll(async () => (await fetch(`${first.url}/ready`)).status).toBe(503)
    const response = await submit(first.url)
    expect([response.status, response.headers.get('connection')]).toEqual([202, 'close'])
    await expect.poll(() => world.store.runs.unfinished()).toEqual([])
    const closed = first.close()
    // The drain is over at once: it has been asked for a second time.
    await Promise.all([drained, closed])
  })

  test('never offers the connection of a stream for another request, because it may close it after the stream', async () => {
    const held = heldAgent('assistant', { before: [say('I begin.')] })
    await using world = await twoNodes({ drainMs: 0 }, held.agent)
    for (const url of [world.first.url, world.second.url]) {
      const response = await ask(url, { chatId: new URL(url).port })
      expect(response.headers.get('connection')).toBe('close')
      await response.body?.cancel()
    }
    held.letGo()
  })

  test('keeps the stream of one answer open until that answer has ended elsewhere', async () => {
    const elsewhere = heldAgent('assistant', { before: [say('I go on. ')], after: [say('I end.')] })
    await using world = await twoNodes({ drainMs: 0 }, elsewhere.agent)
    const { first } = world
    await using stream = new SseBytes(await ask(first.url))
    await stream.until('I begin.')
    const query = { message: 'How is the weather?', session_id: 'chat', message_id: 'question' }
    const whole = sendJson(`${first.url}/agent/query`, query)
    await using log = new SseBytes(await fetch(`${first.url}/api/chats/chat/log`))
    const closed = first.close()
    // Whoever follows a log comes back by itself, so that stream ends.
    await log.rest()
    await stream.until('I go on.')
    elsewhere.letGo()
    expect((await stream.rest()).toString()).toMatch(/I begin\.[\s\S]*I go on\.[\s\S]*I end\.[\s\S]*\[DONE]/)
    const answer = { content: expect.stringMatching(/I begin\.[\s\S]*I go on\. I end\./) }
    expect(await (await whole).json()).toMatchObject(answer)
    await closed
  })

  test('cuts the stream of an answer that takes longer than that', async () => {
    const elsewhere = heldAgent('assistant', { before: [say('I go on. ')] })
    await using world = await twoNodes({ drainMs: 0, finishMs: 0 }, elsewhere.agent)
    await using stream = new SseBytes(await ask(world.first.url))
    await stream.until('I begin.')
    await world.first.close()
    await expect(stream.rest()).rejects.toThrow()
    elsewhere.letGo()
  })

  test('lets a message that waits for its turn wait on, until another node begins its run', async () => {
    const elsewhere = heldAgent('assistant', { before: [say('I go on. ')] })
    await using world = await twoNodes({ drainMs: 0 }, elsewhere.agent)
    await using stream = new SseBytes(await ask(world.first.url))
    await stream.until('I begin.')
    const waiting = submit(world.first.url, {
      messageId: 'next',
      fields: { onBusy: 'queue', waitForTurn: true },
    })
    await expect
      .poll(async () => (await (await fetch(`${world.first.url}/api/chats/chat/queue`)).json()).queue)
      .toHaveLength(1)
    const closed = world.first.close()
    await stream.until('I go on.')
    elsewhere.letGo()
    expect((await waiting).status).toBe(202)
    await closed
  })
})

test('a node that is alone does not drain', async () => {
  await using shared = await sharedStores[0].sharedStore()
  const only = await start(shared.store)
  await only.drain()
  await only.close()
})

/** Two nodes. The answers of the first one begin and do not end. By default the second one says `Yes.`. */
async function twoNodes(options: Partial<Parameters<typeof startServer>[0]>, elsewhere = quick) {
  await using opened = new AsyncDisposableStack()
  const shared = opened.use(await sharedStores[0].sharedStore())
  const { store } = shared
  const { agent } = heldAgent('assistant', { before: [say('I begin. ')] })
  let isFirst = true
  const once = scriptedAgent('assistant', request => {
    const isHeld = isFirst && options.drainMs === 0
    isFirst = false
    return isHeld ? agent.run(request) : [say('Yes.'), finish]
  })
  const first = opened.use(await start(store, { ...options, agents: [{ ...once, continues: true }] }))
  const second = opened.use(await start(store, { agents: [{ ...elsewhere, continues: true }] }))
  const kept = opened.move()
  return { store, first, second, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function start(
  store: Store,
  options: Partial<Parameters<typeof startServer>[0]> = {},
): Promise<RunningServer> {
  return startServer({
    agents: [{ ...quick, continues: true }],
    drainMs: 0,
    ...options,
    store,
    logger,
    port: 0,
  })
}

/** Wraps a store so that something happens between the claim of a run and its lease. */
function afterClaim(store: Store, happen: () => Promise<void>): Store {
  return {
    ...store,
    runs: {
      ...store.runs,
      async claim(...claim) {
        const isClaimed = await store.runs.claim(...claim)
        if (isClaimed) await happen()
        return isClaimed
      },
    },
  }
}
