import type { Channel } from '@throughline/channels'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { localChat } from '@throughline/testing/store/left-runs'
import { sharedStores } from '@throughline/testing/store/shared-store'
import { testChat } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'
import { handNode } from './hand-node.ts'

const chat = localChat('chat')
const agent = scriptedAgent('assistant', [say('Hello.'), finish])

/** A channel of one node. It remembers what it sent, and how many listen to it. */
function memoryChannel(send: Channel['send'] = async () => 'sent') {
  const sent: string[] = []
  const counts = { polling: 0 }
  const channel: Channel = {
    kind: 'memory',
    maxChars: 1_000,
    async send(request) {
      sent.push(request.idempotencyKey)
      return send(request)
    },
    async poll(_inbox, signal) {
      counts.polling += 1
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      counts.polling -= 1
    },
  }
  const installed = { channel, ownerId: chat.ownerId, delivery: { idleMs: 1 } }
  return { channels: new Map([['memory', installed]]), sent, counts }
}

/** A channel that takes a message, and says so only when the test lets it. */
function slowChannel() {
  const sending = Promise.withResolvers<void>()
  const held = Promise.withResolvers<string>()
  const slow = memoryChannel(() => {
    sending.resolve()
    return held.promise
  })
  return { slow, sending, held }
}

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  async function tiedStore() {
    const shared = await sharedStore()
    await shared.store.channelChats.tie(chat.ownerId, testChat(), { channel: 'memory', target: 'room' })
    return shared
  }

  test('an answer is sent by one node, also when others look for answers to send', async () => {
    await using shared = await tiedStore()
    const { store } = shared
    const { slow, sending, held } = slowChannel()
    const other = memoryChannel()
    await using first = await handNode({ store, agents: [agent], channels: slow.channels })
    await using second = await handNode({ store, agents: [agent], channels: other.channels })
    await first.send()
    await sending.promise
    await second.services.channels.deliverLeft()
    held.resolve('sent')
    while ((await store.channelChats.undelivered()).length > 0);
    expect(slow.sent).toHaveLength(1)
    expect(other.sent).toEqual([])
  })

  test('what a dead node was sending is sent by the node that finds it dead, and the dead one sends no more', async () => {
    await using shared = await tiedStore()
    const { store } = shared
    const sending = Promise.withResolvers<void>()
    const held = Promise.withResolvers<string>()
    const broken = memoryChannel(() => {
      sending.resolve()
      return held.promise
    })
    const sound = memoryChannel()
    await using first = await handNode({ store, agents: [agent], channels: broken.channels })
    await first.send()
    await sending.promise
    shared.pass(15_000)
    await using second = await handNode({ store, agents: [agent], channels: sound.channels })
    await second.node.sweep()
    while ((await store.channelChats.undelivered()).length > 0);
    // The same message under the same key: a channel that knows keys shows it once.
    expect(sound.sent).toEqual(broken.sent)
    held.resolve('late')
    await second.send()
    while ((await store.channelChats.undelivered()).length > 0);
    expect(sound.sent).toHaveLength(2)
    expect(broken.sent).toHaveLength(1)
  })

  test('an answer of one node is sent although another node is still sending the answer before', async () => {
    await using shared = await tiedStore()
    const { store } = shared
    const { slow, sending, held } = slowChannel()
    const other = memoryChannel()
    await using first = await handNode({ store, agents: [agent], channels: slow.channels })
    await using second = await handNode({ store, agents: [agent], channels: other.channels })
    await first.send()
    await sending.promise
    while ((await store.runs.unfinished()).length > 0);
    await second.send()
    held.resolve('sent')
    while ((await store.channelChats.undelivered()).length > 0);
    expect(slow.sent.length + other.sent.length).toBe(2)
  })

  test('one node listens to a channel, and another one when the first one closes', async () => {
    await using shared = await tiedStore()
    const { store } = shared
    const [one, other] = [memoryChannel(), memoryChannel()]
    const first = await handNode({ store, agents: [agent], channels: one.channels })
    await using second = await handNode({ store, agents: [agent], channels: other.channels })
    await first.services.channels.start()
    await first.node.jobs.renew()
    await second.services.channels.start()
    await second.node.jobs.renew()
    expect([one.counts.polling, other.counts.polling]).toEqual([1, 0])
    await first[Symbol.asyncDispose]()
    await second.node.jobs.renew()
    expect([one.counts.polling, other.counts.polling]).toEqual([0, 1])
  })
})
