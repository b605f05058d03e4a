import { isChatId } from '@throughline/protocol'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

test('a change in a chat that is held in a channel sends nothing, and the next answer is delivered', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ channels: hookChannels(receiver.url, { idleMs: 5 }) })
  const [ownerId, chatId] = [ownerIdOf('local'), idOf(isChatId, 'hook:room')]
  const isDelivered = async () => {
    const { delivered } = (await server.store.channelChats.get({ ownerId, chatId })) ?? {}
    const { seq } = await server.store.log.open(`${ownerId}/${chatId}`)
    return delivered?.seq === seq
  }
  await writeToHook(server.url, { id: 'm1' })
  await expect.poll(isDelivered).toBe(true)
  const sent = receiver.shown.length
  const response = await fetch(`${server.url}/api/chats/${chatId}/messages/in_m1`, { method: 'DELETE' })
  expect(response.status).toBe(200)
  expect((await loadChat(server.url, chatId)).messages).toEqual([])
  // A platform may tell us once more of what it has told us: it is taken, and not answered again.
  expect((await writeToHook(server.url, { id: 'm1' })).status).toBe(202)
  expect((await loadChat(server.url, chatId)).messages).toEqual([])

  await writeToHook(server.url, { id: 'm2' })
  await expect.poll(isDelivered).toBe(true)
  expect(receiver.shown.length).toBe(2 * sent)
  expect(receiver.shown.at(sent)?.fields).toMatchObject({ replyTo: 'm2' })
})
