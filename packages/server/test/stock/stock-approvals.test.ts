import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { describe, expect, test } from 'vitest'
import {
  approvalChat,
  isAnswered,
  isShownReady,
  loadedMessages,
  requestOn,
  requestsOn,
  startApprovalPage,
  toolStatesOn,
} from './stock-approval-page.ts'
import { expectShown, textsOf } from './stock-page.ts'

const two = scriptedModel({
  master: [
    [calling('remove', { what: 'one' }, 'first'), calling('remove', { what: 'two' }, 'second')],
    [saying('Done.')],
  ],
})

describe('a stock chat whose tool needs approval', () => {
  test('is ready while the call waits, and goes on in the same message when a person approves', async () => {
    await using page = await startApprovalPage()
    const { chat, removed } = page
    await chat.sendMessage({ text: 'Remove it.' })
    expect(chat.status).toBe('ready')
    expect(toolStatesOn(chat)).toEqual(['approval-requested'])
    const answerId = chat.lastMessage?.id
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    await expectShown(page)
    expect(chat.lastMessage?.id).toBe(answerId)
    expect(removed).toEqual(['all'])
    expect(textsOf(chat)).toEqual(['Remove it.', 'Done.'])
    expect(page.model.doStreamCalls).toHaveLength(2)
  })

  test('goes on when a person denies, and the model reads why', async () => {
    await using page = await startApprovalPage()
    const { chat, removed } = page
    await chat.sendMessage({ text: 'Remove it.' })
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: false, reason: 'Too risky' })
    await isAnswered(chat)
    await expectShown(page)
    expect(removed).toEqual([])
    expect(toolStatesOn(chat)).toEqual(['output-denied'])
    expect(toolResultsOf(page.model, 'master')).toContain('did not allow this call: Too risky.')
  })

  test('answers parallel calls together, each with its own decision', async () => {
    await using page = await startApprovalPage({ model: two })
    const { chat, removed } = page
    await chat.sendMessage({ text: 'Remove both.' })
    const [first = '', second = ''] = requestsOn(chat)
    await chat.addToolApprovalResponse({ id: first, approved: true })
    expect(removed).toEqual([])
    await chat.addToolApprovalResponse({ id: second, approved: false })
    await isAnswered(chat)
    await expectShown(page)
    expect(removed).toEqual(['one'])
    expect(toolStatesOn(chat)).toEqual(['output-available', 'output-denied'])
  })

  test('can answer parallel calls one after the other', async () => {
    await using page = await startApprovalPage({
      model: two,
      sendAutomaticallyWhen: ({ messages }) => JSON.stringify(messages).includes('"approval-responded"'),
    })
    const { chat, removed } = page
    await chat.sendMessage({ text: 'Remove both.' })
    const [, second = ''] = requestsOn(chat)
    await chat.addToolApprovalResponse({ id: second, approved: true })
    await isShownReady(chat, () => toolStatesOn(chat)[1] === 'output-available')
    expect(toolStatesOn(chat)).toEqual(['approval-requested', 'output-available'])
    expect(removed).toEqual(['two'])
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    await expectShown(page)
    expect(removed).toEqual(['two', 'one'])
  })

  test('waits again for the next call of the same answer', async () => {
    const model = scriptedModel({
      master: [
        [saying('First.'), calling('remove', { what: 'one' }, 'first')],
        [saying('Second.'), calling('remove', { what: 'two' }, 'second')],
        [saying('Done.')],
      ],
    })
    await using page = await startApprovalPage({ model })
    const { chat, removed } = page
    await chat.sendMessage({ text: 'Remove both.' })
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isShownReady(chat, () => toolStatesOn(chat)[1] === 'approval-requested')
    expect(removed).toEqual(['one'])
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    await expectShown(page)
    expect(removed).toEqual(['one', 'two'])
    expect(textsOf(chat)).toEqual(['Remove both.', 'First.Second.Done.'])
  })

  test.each([
    ['resumed', async (url: string) => approvalChat(url, { messages: await loadedMessages(url) }), true],
    ['resumed without its messages', async (url: string) => approvalChat(url), true],
    [
      'loaded and not resumed',
      async (url: string) => approvalChat(url, { messages: await loadedMessages(url) }),
      false,
    ],
  ])('shows the request on a page that was %s, and can be answered there', async (_, open, isResumed) => {
    await using page = await startApprovalPage()
    await page.chat.sendMessage({ text: 'Remove it.' })
    const chat = await open(page.url)
    if (isResumed) await chat.resumeStream()
    expect(chat.status).toBe('ready')
    expect(toolStatesOn(chat)).toEqual(['approval-requested'])
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    expect(page.removed).toEqual(['all'])
    const { parts } = await loadAnswer(page.url)
    expect(JSON.parse(JSON.stringify(chat.lastMessage?.parts))).toEqual(parts)
  })
})

test('the streams before and after an approval are the log: nothing is missing, and nothing is there twice', async () => {
  await using page = await startApprovalPage({ model: two })
  const streams: Buffer[] = []
  const first = new SseBytes(await ask(page.url))
  streams.push(await first.rest())
  const ids = streams.flatMap(bytes => [...bytes.toString().matchAll(/"approvalId":"([^"]+)"/g)])
  const decisions = new Map(ids.map(([, id = '']) => [id, { approved: true }]))
  const messages = await loadedMessages(page.url)
  const answered = messages.map(message => ({
    ...message,
    parts: message.parts.map(part => {
      if (!('approval' in part) || part.approval === undefined) return part
      const { id } = part.approval
      return { ...part, state: 'approval-responded', approval: { id, ...decisions.get(id) } }
    }),
  }))
  const fields = { messages: answered, messageId: messages.at(-1)?.id }
  const second = new SseBytes(await ask(page.url, { fields }))
  streams.push(await second.rest())
  const whole = await new SseBytes(await ask(page.url, { form: '?approvals=wait' })).rest()
  const numbered = (bytes: Buffer) => sseEventsIn(bytes).filter(({ id }) => id !== undefined)
  const shown = streams.flatMap(numbered).map(({ bytes }) => bytes.toString())
  expect(shown).toEqual(numbered(whole).map(({ bytes }) => bytes.toString()))
  const unnumbered = streams.map(bytes => sseEventsIn(bytes).filter(({ id }) => id === undefined))
  expect(unnumbered.map(sseEvents => sseEvents.map(({ data }) => data))).toEqual([
    ['{"type":"finish-step"}', '{"type":"finish","finishReason":"tool-calls"}', '[DONE]'],
    [`{"type":"start","messageId":"${messages.at(-1)?.id}"}`, '[DONE]'],
  ])
})

test('a call that was decided elsewhere is not in the way of the rest', async () => {
  await using page = await startApprovalPage({ model: two })
  const { chat } = page
  await chat.sendMessage({ text: 'Remove both.' })
  const [first = '', second = ''] = requestsOn(chat)
  await decide(page.url, first, { approved: false, reason: 'Decided elsewhere.' })
  await chat.addToolApprovalResponse({ id: first, approved: true })
  await chat.addToolApprovalResponse({ id: second, approved: true })
  await isAnswered(chat)
  await expectShown(page)
  expect(page.removed).toEqual(['two'])
  expect(toolStatesOn(chat)).toEqual(['output-denied', 'output-available'])
})
