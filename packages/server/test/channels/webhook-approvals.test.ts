import { isOwnerId } from '@throughline/protocol'
import { hookChannels, signedPost, writeToHook } from '@throughline/testing/channels/channel-server'
import { startRemoval } from '@throughline/testing/channels/removal-server'
import { startWebhookReceiver, type WebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import { expect, test } from 'vitest'

/** A server with the webhook `hook`, and another webhook that nobody reads. */
async function start() {
  const receiver = await startWebhookReceiver()
  const nobody = await startWebhookReceiver()
  const channels = new Map([
    ...hookChannels(receiver.url),
    ...[...hookChannels(nobody.url).values()].map(channel => ['other', channel] as const),
  ])
  const removal = await startRemoval({ channels })
  return {
    ...removal,
    url: removal.server.url,
    receiver,
    async [Symbol.asyncDispose]() {
      await removal[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
      await nobody[Symbol.asyncDispose]()
    },
  }
}

/** The id of the call that the receiver is asked about, once it is. */
async function question(receiver: WebhookReceiver, count = 1): Promise<string> {
  const asked = () => receiver.shown.filter(({ fields }) => fields['type'] === 'approval_request')
  await receiver.until(() => asked().length >= count)
  return String(asked()[count - 1]?.fields['approvalId'])
}

const ada = { id: 'ada' }

test('a receiver is asked with a signed event, decides with a signed body, and hears what became of it', async () => {
  await using fixture = await start()
  const { receiver, url } = fixture
  await writeToHook(url)
  const approvalId = await question(receiver)
  expect(fixture.removed).toEqual([])
  const response = await signedPost({ type: 'approval', sender: ada, approvalId, approved: true })(url)
  expect([response.status, await response.json()]).toEqual([200, { decided: approvalId }])
  await receiver.until(shown => shown.at(-1)?.text === 'Done.')
  expect(receiver.shown.map(({ fields }) => fields)).toMatchObject([
    { text: 'I want to remove it.', replyTo: 'm1' },
    {
      type: 'approval_request',
      conversation: 'room',
      approvalId,
      tool: 'remove',
      arguments: { what: 'all' },
    },
    { type: 'approval_settled', conversation: 'room', approvalId, tool: 'remove', approved: true },
    { text: 'Done.' },
  ])
  expect(fixture.removed).toEqual(['all'])
})

test('a sender who is no approver cannot decide, also about a call of their own', async () => {
  await using fixture = await start()
  const { receiver, url } = fixture
  await writeToHook(url, { sender: { id: 'bob' } })
  const approvalId = await question(receiver)
  expect(receiver.shown.at(-1)?.fields['approvers']).toEqual(['ada'])
  const send = (sender: unknown) => signedPost({ type: 'approval', sender, approvalId, approved: true })(url)
  expect((await send({ id: 'bob' })).status).toBe(403)
  expect((await send(undefined)).status).toBe(400)
  expect(fixture.removed).toEqual([])
  expect((await send(ada)).status).toBe(200)
})

test('a denial comes with its reason, and the tool does not run', async () => {
  await using fixture = await start()
  const { receiver, url } = fixture
  await writeToHook(url)
  const approvalId = await question(receiver)
  await signedPost({ type: 'approval', sender: ada, approvalId, approved: false, reason: 'Ann said no.' })(
    url,
  )
  await receiver.until(shown => shown.at(-1)?.text === 'Done.')
  expect(receiver.shown[2]?.fields).toMatchObject({ approved: false, reason: 'Ann said no.' })
  expect(fixture.removed).toEqual([])
})

test('a decision counts once, whoever sends it again or decides elsewhere', async () => {
  await using fixture = await start()
  const { receiver, url } = fixture
  await writeToHook(url)
  const approvalId = await question(receiver)
  const send = signedPost({ type: 'approval', sender: ada, approvalId, approved: false })
  const statuses = await Promise.all([send(url), send(url), decide(url, approvalId, { approved: false })])
  expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect((await send(url)).status).toBe(409)
  expect((await signedPost({ type: 'approval', sender: ada, approvalId, approved: true })(url)).status).toBe(
    409,
  )
  await receiver.until(shown => shown.at(-1)?.text === 'Done.')
  expect(fixture.removed).toEqual([])
})

test('a decision does not count for another conversation, another channel, or a chat of the page', async () => {
  await using fixture = await start()
  const { receiver, url } = fixture
  await writeToHook(url)
  const approvalId = await question(receiver)
  const elsewhere = signedPost({
    type: 'approval',
    sender: ada,
    approvalId,
    approved: true,
    conversation: 'another',
  })
  expect((await elsewhere(url)).status).toBe(404)
  expect(
    (await signedPost({ type: 'approval', sender: ada, approvalId, approved: true }, 'other')(url)).status,
  ).toBe(404)

  await using stream = new SseBytes(await ask(url, { chatId: 'on-the-page' }))
  await stream.until('"approvalId":')
  const onPage = approvalIn(stream.bytes)
  expect(
    (await signedPost({ type: 'approval', sender: ada, approvalId: onPage, approved: true })(url)).status,
  ).toBe(404)
  expect(
    (await signedPost({ type: 'approval', sender: ada, approvalId: 'approval_none', approved: true })(url))
      .status,
  ).toBe(404)
  expect(fixture.removed).toEqual([])
  await signedPost({ type: 'approval', sender: ada, approvalId, approved: true, conversation: 'room' })(url)
  await receiver.until(shown => shown.at(-1)?.text === 'Done.')
  expect(fixture.removed).toEqual(['all'])
})

test('a conversation that was deleted waits for nothing', async () => {
  await using fixture = await start()
  const { receiver, url, server } = fixture
  await writeToHook(url)
  const approvalId = await question(receiver)
  await fetch(`${url}/api/chats/hook:room`, { method: 'DELETE' })
  expect((await signedPost({ type: 'approval', sender: ada, approvalId, approved: true })(url)).status).toBe(
    404,
  )
  expect(await server.store.approvals.find(idOf(isOwnerId, 'local'), approvalId)).toBeUndefined()
  expect(fixture.removed).toEqual([])
})
