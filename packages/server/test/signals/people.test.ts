import { isChatId, textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import {
  type NodesOptions,
  sharedStores,
  startNodes,
  withoutBells,
} from '@throughline/testing/server/start-nodes'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { until } from '@throughline/testing/waits/until'
import { describe, expect, test } from 'vitest'

describe.each(sharedStores)('on $name', ({ open }) => {
  describe('a tool call that waits for a decision', () => {
    test.each([
      ['a ring', undefined],
      ['no ring, which was lost', withoutBells],
    ])('goes on when a person decides on another node, with %s', async (_, wrapStore) => {
      await using world = await startAsking({ open, ...(wrapStore && { wrapStore }) })
      expect((await decide(world.second, world.approvalId, { approved: true })).status).toBe(200)
      expect((await world.stream.rest()).toString()).toContain('Done.')
      expect(world.removed).toEqual(['all'])
    })

    test('hears the reason that was given on another node', async () => {
      await using world = await startAsking({ open })
      await decide(world.second, world.approvalId, { approved: false, reason: 'Too risky' })
      expect((await world.stream.rest()).toString()).toContain('Too risky')
      expect(world.removed).toEqual([])
    })

    test('is decided once: of two decisions on two nodes one wins, and the other one hears which', async () => {
      await using world = await startAsking({ open })
      const decisions = [
        { url: world.first, approved: true },
        { url: world.second, approved: false },
      ]
      const responses = await Promise.all(
        decisions.map(({ url, approved }) => decide(url, world.approvalId, { approved })),
      )
      const winner = responses.findIndex(({ status }) => status === 200)
      const loser = responses[1 - winner]
      if (loser === undefined) throw new Error('There is no loser.')
      expect(await problemOf(loser)).toMatchObject({
        status: 409,
        code: 'approval-not-waiting',
        approvalStatus: winner === 0 ? 'approved' : 'denied',
      })
      await world.stream.rest()
      expect(world.removed).toEqual(winner === 0 ? ['all'] : [])
    })

    test('makes way for a message on another node, as on its own', async () => {
      await using world = await startAsking({ open })
      const next = await ask(world.second, { messageId: 'next', form: '?approvals=wait' })
      await using stream = new SseBytes(next)
      await stream.until('"type":"start"')
      expect((await world.stream.rest()).toString()).toContain('Interrupted by a new message.')
    })
  })

  describe('a chat that a person has taken over', () => {
    test('is answered from any node', async () => {
      await using world = await startTakenOver({ open })
      await writeToHook(world.first, { id: 'm2', text: 'Is anybody there?' })
      await world.untilWaiting('in_m2')
      expect((await world.post(world.second, 'reply', { text: 'Yes, I am Ann.' })).status).toBe(202)
      // One more, after the answer: it is a run of the other node.
      expect((await world.post(world.second, 'reply', { text: 'Ask me anything.' })).status).toBe(202)
      await until(async () => (await world.store.runs.unfinished()).length === 0)
      expect(await world.texts()).toEqual([
        'Hello?',
        'You said: Hello?',
        'Is anybody there?',
        'Yes, I am Ann.',
        'Ask me anything.',
      ])
    })

    test('hears each of two replies on two nodes once', async () => {
      await using world = await startTakenOver({ open })
      await writeToHook(world.first, { id: 'm2', text: 'Is anybody there?' })
      await world.untilWaiting('in_m2')
      const replies = [
        world.post(world.first, 'reply', { text: 'First.' }),
        world.post(world.second, 'reply', { text: 'Second.' }),
      ]
      for (const response of await Promise.all(replies)) expect(response.status).toBe(202)
      await until(async () => (await world.store.runs.unfinished()).length === 0)
      expect((await world.texts()).slice(3).toSorted()).toEqual(['First.', 'Second.'])
    })

    test('is given back from any node, and the agent answers the message that waits', async () => {
      await using world = await startTakenOver({ open })
      await writeToHook(world.first, { id: 'm2', text: 'Is anybody there?' })
      await world.untilWaiting('in_m2')
      expect((await world.post(world.second, 'take-over', { on: false })).status).toBe(200)
      await until(async () => (await world.texts()).includes('You said: Is anybody there?'))
    })
  })
})

/** Two nodes. A call of the first one waits for a decision. */
async function startAsking(options: NodesOptions) {
  const { removed, serverOptions } = asksApproval()
  const nodes = await startNodes({ ...serverOptions, ...options })
  const stream = new SseBytes(await ask(nodes.first, { form: '?approvals=wait' }))
  const approvalId = approvalIn(await stream.until('"approvalId"'))
  return { ...nodes, stream, approvalId, removed }
}

/** Two nodes, and a chat in a channel which Ann has taken over on the second one. */
async function startTakenOver(options: NodesOptions) {
  const receiver = await startWebhookReceiver()
  const agent = scriptedAgent('assistant', ({ messages }) => {
    const question = messages.at(-1)
    return [say(`You said: ${question && textOf(question)}`), finish]
  })
  const nodes = await startNodes({
    ...options,
    agents: [agent],
    channels: hookChannels(receiver.url, { idleMs: 5 }),
  })
  const chatId = idOf(isChatId, 'hook:room')
  const chat = { ownerId: ownerIdOf('local'), chatId }
  const post = (url: string, path: string, body: unknown) =>
    sendJson(`${url}/api/chats/${chatId}/${path}`, body)
  await writeToHook(nodes.first, { id: 'm1', text: 'Hello?' })
  await until(async () => (await nodes.store.runs.unfinished()).length === 0)
  await post(nodes.second, 'take-over', { on: true, name: 'Ann' })
  return {
    ...nodes,
    post,
    texts: async () => (await loadChat(nodes.second, chatId)).messages.map(message => textOf(message)),
    untilWaiting: (messageId: string) =>
      until(async () => (await nodes.store.runs.active(chat))?.userMessageId === messageId),
    async [Symbol.asyncDispose]() {
      await nodes[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}
