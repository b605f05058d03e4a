import { isChunk } from '@throughline/protocol'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { ask } from '@throughline/testing/http/chat-requests'
import { fromWire, readAsStock } from '@throughline/testing/http/read-chunks'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { isToolUIPart, type UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { isAnswered, requestsOn, startApprovalPage, toolStatesOn } from './stock-approval-page.ts'

const delegation = {
  model: scriptedModel({
    master: [[saying('I ask.'), asking('worker')], [saying('Done.')]],
    worker: [[saying('I remove.'), calling('remove', { what: 'all' })], [saying('Worked.')]],
  }),
  subAgents: [subAgent('worker', { tools: ['remove'] })],
}

/** As in the docs: the call that waits for the sub-agent has no approval of its own, and is not asked about. */
function isDecided({ messages }: { readonly messages: readonly UIMessage[] }): boolean {
  const states = (messages.at(-1)?.parts ?? []).filter(isToolUIPart).map(({ state }) => state)
  return states.includes('approval-responded') && !states.includes('approval-requested')
}

test('a stock chat with sub-agents inline can approve a sub-agent’s call', async () => {
  await using page = await startApprovalPage({
    ...delegation,
    form: '?subAgents=inline',
    sendAutomaticallyWhen: isDecided,
  })
  const { chat } = page
  await chat.sendMessage({ text: 'Remove it.' })
  expect(chat.status).toBe('ready')
  expect(toolStatesOn(chat)).toEqual(['input-available', 'approval-requested'])
  const [id = ''] = requestsOn(chat)
  await chat.addToolApprovalResponse({ id, approved: true })
  await isAnswered(chat)
  expect(page.removed).toEqual(['all'])
  expect(toolStatesOn(chat)).toEqual(['output-available', 'output-available'])
  expect(wordsOf(chat.lastMessage)).toEqual(['I ask.', 'I remove.', 'Worked.', 'Done.'])
  const question = { messageId: chat.messages[0]?.id ?? '', text: 'Remove it.', form: '?subAgents=inline' }
  const whole = await new SseBytes(await ask(page.url, question)).rest()
  const { message } = await readAsStock(valuesOf(whole).filter(isChunk))
  expect(fromWire(chat.lastMessage?.parts)).toEqual(fromWire(message?.parts))
})

test('several sub-agents that wait at once are all asked for before the stream ends', async () => {
  await using page = await startApprovalPage({
    model: scriptedModel({
      master: [[asking('north'), asking('south')], [saying('Done.')]],
      north: [[calling('remove', { what: 'north' })], [saying('North is gone.')]],
      south: [[calling('remove', { what: 'south' })], [saying('South is gone.')]],
    }),
    subAgents: [subAgent('north', { tools: ['remove'] }), subAgent('south', { tools: ['remove'] })],
    form: '?subAgents=inline',
    sendAutomaticallyWhen: isDecided,
  })
  const { chat, removed } = page
  await chat.sendMessage({ text: 'Remove both.' })
  const requests = requestsOn(chat)
  expect(requests).toHaveLength(2)
  for (const id of requests) await chat.addToolApprovalResponse({ id, approved: true })
  await isAnswered(chat)
  expect(removed.toSorted()).toEqual(['north', 'south'])
  expect(wordsOf(chat.lastMessage)?.at(-1)).toBe('Done.')
})

test.each(['', '?subAgents=hidden'])(
  'a stream "%s" that does not show a sub-agent’s request stays open until somebody else decides',
  async form => {
    await using page = await startApprovalPage(delegation)
    await using stream = new SseBytes(await ask(page.url, { form }))
    await using inline = new SseBytes(await ask(page.url, { form: '?subAgents=inline' }))
    const shown = (await inline.rest()).toString()
    expect(shown).toContain('"type":"tool-approval-request"')
    expect(stream.bytes.toString()).not.toContain('[DONE]')
    await decide(page.url, /"approvalId":"([^"]+)"/.exec(shown)?.[1] ?? '', { approved: true })
    expect((await stream.rest()).toString()).toContain('Done.')
  },
)

function wordsOf(message: UIMessage | undefined): readonly string[] | undefined {
  return message?.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
}
