import { isToolPart, type Message } from '@throughline/protocol'
import { hookChannels, signedPost, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { approvalIn } from '@throughline/testing/http/approval-requests'
import { ask, loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { sharedStores, startNodes } from '@throughline/testing/server/start-nodes'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'

// A call of a run on the first node waits. Each kind of client decides on the second node, in its own way.

describe.each(sharedStores)('on $name, a call of another node goes on', ({ open }) => {
  test('when a stock client sends its messages back with the decision', async () => {
    const { removed, serverOptions } = asksApproval()
    await using nodes = await startNodes({ ...serverOptions, open })
    const approvalId = approvalIn(Buffer.from(await (await ask(nodes.first)).text()))
    const { messages } = await loadChat(nodes.second)
    const body = { id: 'chat', messages: messages.map(message => approved(message, approvalId)) }
    expect(await (await sendJson(`${nodes.second}/api/chat`, body)).text()).toContain('Done.')
    expect(removed).toEqual(['all'])
    expect((await loadChat(nodes.first)).messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', metadata: { status: 'finished' } },
    ])
  })

  test.each([
    [true, ['all']],
    [false, []],
  ])('when an AG-UI client resolves its interrupt with %s', async (isApproved, expected) => {
    const { removed, serverOptions } = asksApproval()
    await using nodes = await startNodes({ ...serverOptions, open })
    const input = {
      threadId: 'chat',
      runId: 'run-1',
      messages: [{ id: 'question', role: 'user', content: 'Remove it.' }],
    }
    const asked = await (await sendJson(`${nodes.first}/ag-ui`, input)).text()
    const [interruptId] = /approval_[0-9a-z]+/.exec(asked) ?? []
    const resume = [{ interruptId, status: 'resolved', payload: { approved: isApproved } }]
    const resumed = await sendJson(`${nodes.second}/ag-ui`, { ...input, runId: 'run-2', resume })
    expect(await resumed.text()).toContain('Done.')
    expect(removed).toEqual(expected)
  })

  test('when a webhook decides, and the receiver hears the rest', async () => {
    await using receiver = await startWebhookReceiver()
    const { removed, serverOptions } = asksApproval()
    const channels = hookChannels(receiver.url, { idleMs: 5 })
    await using nodes = await startNodes({ ...serverOptions, channels, open })
    await writeToHook(nodes.first)
    const isAsked = () => receiver.shown.some(({ fields }) => fields['type'] === 'approval_request')
    await receiver.until(isAsked)
    const asked = receiver.shown.find(({ fields }) => fields['type'] === 'approval_request')
    const approvalId = String(asked?.fields['approvalId'])
    const response = await signedPost({
      type: 'approval',
      sender: { id: 'ada' },
      approvalId,
      approved: true,
    })(nodes.second)
    expect(response.status).toBe(200)
    await receiver.until(shown => shown.at(-1)?.text === 'Done.')
    expect(removed).toEqual(['all'])
  })

  test('and viewers on both nodes get the same bytes', async () => {
    const { serverOptions } = asksApproval()
    await using nodes = await startNodes({ ...serverOptions, open })
    await using here = new SseBytes(await ask(nodes.first, { form: '?approvals=wait' }))
    const approvalId = approvalIn(await here.until('"approvalId"'))
    await using there = new SseBytes(await fetch(`${nodes.second}/api/chat/chat/stream?approvals=wait`))
    await there.until('"approvalId"')
    await sendJson(`${nodes.second}/sessions/chat/approvals/${approvalId}`, { approved: true })
    const bytes = (await here.rest()).toString()
    expect(bytes).toContain('Done.')
    expect((await there.rest()).toString()).toBe(bytes)
  })
})

/** Returns a message as a stock client sends it back after a person has approved. */
function approved(message: Message, id: string): unknown {
  const respond = (part: Message['parts'][number]) =>
    isToolPart(part) ? { ...part, state: 'approval-responded', approval: { id, approved: true } } : part
  return { ...message, parts: message.parts.map(respond) }
}
