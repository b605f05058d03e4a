import { type ToolFactory, toolFactory } from '@throughline/agents'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { tool } from 'ai'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../src/start-server.ts'
import {
  approvalChat,
  isAnswered,
  loadedMessages,
  requestOn,
  requestsOn,
  startApprovalPage,
  toolStatesOn,
} from './stock-approval-page.ts'
import { expectShown } from './stock-page.ts'

describe('a stock chat that answers a call that waits no more', () => {
  test('shows what another page has decided', async () => {
    await using page = await startApprovalPage()
    const { chat } = page
    await chat.sendMessage({ text: 'Remove it.' })
    const other = approvalChat(page.url, { messages: await loadedMessages(page.url) })
    await other.addToolApprovalResponse({ id: requestOn(other), approved: false })
    await isAnswered(other)
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    await expectShown(page)
    expect(toolStatesOn(chat)).toEqual(['output-denied'])
    expect(page.removed).toEqual([])
    expect(page.model.doStreamCalls).toHaveLength(2)
  })

  test('shows that the time was up', async () => {
    await using page = await startApprovalPage({ limits: { maxApprovalMs: 20 } })
    const { chat } = page
    await chat.sendMessage({ text: 'Remove it.' })
    await hasEnded(page.url)
    const [id] = requestsOn(chat)
    // A slow machine may have shown the end at once.
    if (id !== undefined) await chat.addToolApprovalResponse({ id, approved: true })
    await isAnswered(chat)
    await expectShown(page)
    expect(toolStatesOn(chat)).toEqual(['output-denied'])
    expect(page.removed).toEqual([])
  })

  test('shows that the answer was stopped', async () => {
    await using page = await startApprovalPage()
    const { chat } = page
    await chat.sendMessage({ text: 'Remove it.' })
    await stop(page.url)
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    await expectShown(page)
    expect(chat.lastMessage).toMatchObject({ metadata: { status: 'stopped' } })
    expect(page.removed).toEqual([])
  })

  test('shows that the server was restarted, and nothing is run again', async () => {
    await using page = await startApprovalPage()
    await page.chat.sendMessage({ text: 'Remove it.' })
    // Another process takes the store over, as after a crash: the first one never ended its run.
    await using restarted = await startServer({
      store: page.server.store,
      agents: [],
      logger: pino({ level: 'silent' }),
      port: 0,
    })
    const chat = approvalChat(restarted.url, { messages: [...page.chat.messages] })
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    await expectShown({ chat, url: restarted.url })
    expect(chat.lastMessage).toMatchObject({ metadata: { status: 'interrupted' } })
    expect(page.removed).toEqual([])
    expect(page.model.doStreamCalls).toHaveLength(1)
  })

  test('is told when the chat is gone, and no run is begun', async () => {
    await using page = await startApprovalPage()
    const { chat } = page
    await chat.sendMessage({ text: 'Remove it.' })
    await fetch(`${page.url}/api/chats/chat`, { method: 'DELETE' })
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isAnswered(chat)
    expect(chat.error?.message).toContain('message-not-found')
    expect((await fetch(`${page.url}/api/chats/chat`)).status).toBe(404)
    expect(page.model.doStreamCalls).toHaveLength(1)
  })
})

describe('a stream that ended because its run waits', () => {
  test('ends again at once when it is resumed and nobody has decided', async () => {
    await using page = await startApprovalPage()
    const first = await new SseBytes(await ask(page.url)).rest()
    const last = sseEventsIn(first).findLast(({ id }) => id !== undefined)?.id
    const again = await fetch(`${page.url}/api/chat/chat/stream?after=${last}`)
    expect(sseEventsIn(Buffer.from(await again.arrayBuffer())).map(({ data }) => data)).toEqual([
      '{"type":"finish-step"}',
      '{"type":"finish","finishReason":"tool-calls"}',
      '[DONE]',
    ])
  })

  test('is resumed where it ended once somebody has decided', async () => {
    await using page = await startApprovalPage()
    const first = await new SseBytes(await ask(page.url)).rest()
    const numbered = sseEventsIn(first).filter(({ id }) => id !== undefined)
    await decide(page.url, approvalIn(first), { approved: true })
    const rest = await fetch(`${page.url}/api/chat/chat/stream?after=${numbered.at(-1)?.id}`)
    const second = sseEventsIn(Buffer.from(await rest.arrayBuffer()))
    const whole = await new SseBytes(await ask(page.url, { form: '?approvals=wait' })).rest()
    expect(Buffer.concat([...numbered, ...second].map(({ bytes }) => bytes))).toEqual(withoutRetry(whole))
  })

  test('is told in full to whoever comes when everything is over', async () => {
    await using page = await startApprovalPage()
    const first = await new SseBytes(await ask(page.url)).rest()
    await using waiting = new SseBytes(await fetch(`${page.url}/api/chat/chat/stream?approvals=wait`))
    await waiting.until('"type":"tool-approval-request"')
    await decide(page.url, approvalIn(first), { approved: true })
    const whole = await waiting.rest()
    expect(await new SseBytes(await ask(page.url)).rest()).toEqual(whole)
  })

  test('stays open for a person who asked for that, whatever others asked for', async () => {
    await using page = await startApprovalPage()
    await using waiting = new SseBytes(await ask(page.url, { form: '?approvals=wait' }))
    await waiting.until('"type":"tool-approval-request"')
    const ended = await fetch(`${page.url}/api/chat/chat/stream`)
    expect(await ended.text()).toContain('[DONE]')
    await decide(page.url, approvalIn(waiting.bytes), { approved: true })
    expect((await waiting.rest()).toString()).toContain('Done.')
  })

  test('is refused in a form that is not there', async () => {
    await using page = await startApprovalPage()
    const refused = await ask(page.url, { form: '?approvals=maybe' })
    expect(await refused.json()).toMatchObject({ status: 400, code: 'unknown-form' })
    expect((await fetch(`${page.url}/api/chats/chat`)).status).toBe(404)
  })
})

test('a message that is sent instead of a decision interrupts the answer that waits', async () => {
  const model = scriptedModel({
    master: [[saying('First.'), calling('remove', { what: 'all' })], [saying('Done.')]],
  })
  await using page = await startApprovalPage({ model })
  const { chat } = page
  await chat.sendMessage({ text: 'Remove it.' })
  await chat.sendMessage({ text: 'No, wait.' })
  expect(chat.error).toBeUndefined()
  const { messages } = await loadChat(page.url)
  expect(messages.map(({ metadata }) => metadata?.status)).toEqual([
    undefined,
    'stopped',
    undefined,
    'streaming',
  ])
  expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
  expect(page.removed).toEqual([])
})

test('a stream does not end while another tool of the answer is at work', async () => {
  const working = Promise.withResolvers<void>()
  const model = scriptedModel({
    master: [[calling('remove', { what: 'all' }), calling('look', {}, 'look')], [saying('Done.')]],
  })
  await using page = await startApprovalPage({ model, tools: [lookTool(working.promise)] })
  await using stream = new SseBytes(await ask(page.url))
  await stream.until('"type":"tool-approval-request"')
  expect(stream.bytes.toString()).not.toContain('[DONE]')
  working.resolve()
  const bytes = await stream.rest()
  const types = sseEventsIn(bytes).map(({ data = '' }) => /"type":"([^"]+)"/.exec(data)?.[1])
  expect(types.slice(-5)).toEqual(['tool-output-available', 'data-step', 'finish-step', 'finish', undefined])
  expect(toolStatesOn(approvalChat(page.url, { messages: await loadedMessages(page.url) }))).toEqual([
    'approval-requested',
    'output-available',
  ])
})

test('a page that was loaded while another tool was at work, and not resumed, gets that tool’s end too', async () => {
  const working = Promise.withResolvers<void>()
  const model = scriptedModel({
    master: [[calling('remove', { what: 'all' }), calling('look', {}, 'look')], [saying('Done.')]],
  })
  await using page = await startApprovalPage({ model, tools: [lookTool(working.promise)] })
  await using stream = new SseBytes(await ask(page.url))
  await stream.until('"type":"tool-approval-request"')
  const chat = approvalChat(page.url, {
    messages: await loadedMessages(page.url),
    sendAutomaticallyWhen: ({ messages }) => JSON.stringify(messages).includes('"approval-responded"'),
  })
  expect(toolStatesOn(chat)).toEqual(['approval-requested', 'input-available'])
  working.resolve()
  await stream.rest()
  await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
  await isAnswered(chat)
  await expectShown({ chat, url: page.url })
  expect(toolStatesOn(chat)).toEqual(['output-available', 'output-available'])
})

/** A tool that needs no approval, and is at work until it is let go. */
function lookTool(letGo: Promise<void>): ToolFactory {
  const look = tool({
    description: 'Looks around.',
    inputSchema: z.object({}),
    async execute() {
      await letGo
      return { seen: 'nothing' }
    },
  })
  return toolFactory('look', look)
}

/** Reads the run that goes on, if there is one, to its end. */
async function hasEnded(url: string): Promise<void> {
  await (await fetch(`${url}/api/chat/chat/stream?approvals=wait`)).text()
}
