import type { Channel } from '@throughline/channels'
import { logName } from '@throughline/log'
import type { Chunk } from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { messageIdOf, runIdOf } from '@throughline/testing/log/entries-of'
import { restorableStores } from '@throughline/testing/store/restorable-store'
import { ada, adasChat, testChat } from '@throughline/testing/store/store-rows'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { ChatDeliveries } from '../../src/channels/chat-deliveries.ts'

const name = logName(adasChat)

/** Writes a whole run into the chat's log. */
async function writeRun({ log }: Store, id: string, text: string): Promise<void> {
  const chunks: readonly Chunk[] = [
    { type: 'start', messageId: id },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
    { type: 'finish', messageMetadata: { status: 'finished' } },
  ]
  const lease = await log.acquire(name)
  await appendAtEnd(
    log,
    lease,
    chunks.map(chunk => ({ runId: runIdOf(id), messageId: messageIdOf(id), chunk })),
  )
}

/** A channel in memory, and deliveries to it. */
function deliveriesOn(store: Store, send: Channel['send'] = async () => 'sent') {
  const texts: string[] = []
  const complaints: string[] = []
  const looks = new Set<() => void>()
  const channel: Channel = {
    kind: 'memory',
    maxChars: 1_000,
    async send(request) {
      const receipt = await send(request)
      texts.push(request.message.text)
      for (const look of looks) look()
      return receipt
    },
  }
  const logger = pino({ level: 'error' }, { write: line => void complaints.push(line) })
  const channels = new Map([['memory', { channel, ownerId: ada, delivery: { idleMs: 1 } }]])
  const deliveries = new ChatDeliveries({ store, channels, logger })
  return {
    deliveries,
    texts,
    complaints,
    deliver: () => deliveries.deliver(adasChat),
    idle: () => expect.poll(() => deliveries.count).toBe(0),
    shows: (count: number) =>
      new Promise<void>(resolve => {
        const look = () => texts.length >= count && resolve()
        looks.add(look)
        look()
      }),
    [Symbol.asyncDispose]: () => deliveries.close(),
  }
}

async function tied() {
  const context = await temporaryStore()
  await context.store.channelChats.tie(ada, testChat(), { channel: 'memory', target: 'room' })
  return context
}

test('runs are delivered one after the other, and a chat is asked for as often as one likes', async () => {
  await using context = await tied()
  await using memory = deliveriesOn(context.store)
  await writeRun(context.store, 'one', 'One.')
  await writeRun(context.store, 'two', 'Two.')
  for (let asked = 0; asked < 5; asked += 1) memory.deliver()
  await memory.shows(2)
  await writeRun(context.store, 'three', 'Three.')
  memory.deliver()
  await memory.shows(3)
  expect(memory.texts).toEqual(['One.', 'Two.', 'Three.'])
})

test('a run that begins while a delivery has its last look is not missed', async () => {
  await using context = await tied()
  const { store } = context
  const looked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let looks = 0
  const slow: Store = {
    ...store,
    log: {
      ...store.log,
      async open(log) {
        const head = await store.log.open(log)
        looks += 1
        // The second look is the last one: everything there was is delivered.
        if (looks === 2) {
          looked.resolve()
          await held.promise
        }
        return head
      },
    },
  }
  await using memory = deliveriesOn(slow)
  await writeRun(store, 'one', 'One.')
  memory.deliver()
  await looked.promise
  await writeRun(store, 'two', 'Two.')
  memory.deliver()
  held.resolve()
  await memory.shows(2)
  expect(memory.texts).toEqual(['One.', 'Two.'])
})

test('a log that is gone in the middle of a delivery is no failure, and the next one is delivered from its start', async () => {
  await using context = await tied()
  const { store } = context
  const reading = Promise.withResolvers<void>()
  const read: Store['log']['read'] = async (...asked) => {
    const page = await store.log.read(...asked)
    reading.resolve()
    return page
  }
  await using memory = deliveriesOn({ ...store, log: { ...store.log, read } })
  const lease = await store.log.acquire(name)
  const begun = { runId: runIdOf('gone'), messageId: messageIdOf('gone') }
  await appendAtEnd(store.log, lease, [{ ...begun, chunk: { type: 'start', messageId: 'gone' } }])
  memory.deliver()
  await reading.promise
  await store.log.remove(name)
  await writeRun(store, 'next', 'Next.')
  memory.deliver()
  await memory.shows(1)
  expect(memory.texts).toEqual(['Next.'])
  expect(memory.complaints).toEqual([])
})

test('how much of an older log was delivered says nothing about a newer one', async () => {
  await using context = await tied()
  await context.store.outbox.advance(adasChat, { epoch: 'older', seq: 3 })
  await writeRun(context.store, 'one', 'One.')
  await using memory = deliveriesOn(context.store)
  memory.deliver()
  await memory.shows(1)
  expect(memory.texts).toEqual(['One.'])
})

test('a delivery that is stopped sends nothing more, and one that is asked for after that does', async () => {
  await using context = await tied()
  let isSilent = true
  const asked = Promise.withResolvers<void>()
  await using memory = deliveriesOn(context.store, () => {
    asked.resolve()
    return isSilent ? new Promise(() => {}) : Promise.resolve('sent')
  })
  await writeRun(context.store, 'one', 'One.')
  memory.deliver()
  await asked.promise
  isSilent = false
  await memory.deliveries.stop(adasChat)
  expect(memory.texts).toEqual([])
  memory.deliver()
  await memory.shows(1)
})

test('to stop what is not under way, or a chat in no channel, is nothing', async () => {
  await using context = await temporaryStore()
  await using memory = deliveriesOn(context.store)
  await memory.deliveries.stop(adasChat)
  await context.store.chats.create(ada, testChat())
  await writeRun(context.store, 'one', 'One.')
  memory.deliver()
  await memory.deliveries.close()
  expect(memory.texts).toEqual([])
})

test('after the end of all nothing is begun', async () => {
  await using context = await tied()
  await using memory = deliveriesOn(context.store)
  await writeRun(context.store, 'one', 'One.')
  await memory.deliveries.close()
  memory.deliver()
  await memory.deliveries.close()
  expect(memory.texts).toEqual([])
})

describe.each(restorableStores)('on $name', ({ restorableStore }) => {
  test('a restored store sends what was not delivered before, and nothing twice', async () => {
    await using context = await restorableStore()
    await context.store.channelChats.tie(ada, testChat(), { channel: 'memory', target: 'room' })
    {
      await using memory = deliveriesOn(context.store)
      for (const id of ['one', 'two', 'three']) await writeRun(context.store, id, `${id}.`)
      memory.deliver()
      await memory.shows(3)
      await memory.idle()
    }
    await writeRun(context.store, 'four', 'four.')
    await context.backUp()
    await context.restore()
    await using memory = deliveriesOn(context.store)
    await writeRun(context.store, 'five', 'five.')
    memory.deliver()
    await memory.shows(2)
    await memory.idle()
    expect(memory.texts).toEqual(['four.', 'five.'])
  })
})
