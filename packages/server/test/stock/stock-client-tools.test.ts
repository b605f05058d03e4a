import { Chat } from '@ai-sdk/react'
import { toolFactory } from '@throughline/agents'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { clientToolServer, locating } from '@throughline/testing/server/client-tool-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import {
  type ChatInit,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  tool,
  type UIMessage,
  validateUIMessages,
} from 'ai'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../src/start-server.ts'
import { approvalChat, isAnswered, isShownReady, requestOn, toolStatesOn } from './stock-approval-page.ts'
import { expectShown, textsOf } from './stock-page.ts'

const inOslo = { tool: 'locate', toolCallId: 'where', output: { city: 'Oslo' } } as const

/** A stock chat as the AI SDK's documentation sets one up for tools of the client. */
function chatOn(url: string, { form = '', ...init }: Partial<ChatInit<UIMessage>> & { form?: string } = {}) {
  return new Chat<UIMessage>({
    id: 'chat',
    transport: new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat${form}` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    ...init,
  })
}

describe('a stock chat whose tool runs in the page', () => {
  test('runs it in onToolCall, and the same answer goes on', async () => {
    await using fixture = await clientToolServer()
    const chat: Chat<UIMessage> = chatOn(fixture.url, {
      onToolCall({ toolCall: { toolName } }) {
        if (toolName === 'locate') void chat.addToolOutput(inOslo)
      },
    })
    await chat.sendMessage({ text: 'Where am I?' })
    await isAnswered(chat)
    await expectShown({ chat, url: fixture.url })
    expect(toolStatesOn(chat)).toEqual(['output-available'])
    expect(textsOf(chat)).toEqual(['Where am I?', 'One moment.You are there.'])
    expect(toolResultsOf(fixture.model, 'master')).toContain('Oslo')
    expect(fixture.model.doStreamCalls).toHaveLength(2)
  })

  test('is ready while the call waits, and gives the output later, also as AI SDK 5', async () => {
    await using fixture = await clientToolServer()
    const chat = chatOn(fixture.url, { form: '?sdk=5' })
    await chat.sendMessage({ text: 'Where am I?' })
    expect(chat.status).toBe('ready')
    expect(toolStatesOn(chat)).toEqual(['input-available'])
    await chat.addToolOutput(inOslo)
    await isAnswered(chat)
    expect(textsOf(chat).at(-1)).toBe('One moment.You are there.')
  })

  test('says that the tool has failed, and the model reads why', async () => {
    await using fixture = await clientToolServer()
    const chat = chatOn(fixture.url)
    await chat.sendMessage({ text: 'Where am I?' })
    await chat.addToolOutput({
      tool: 'locate',
      toolCallId: 'where',
      state: 'output-error',
      errorText: 'No signal.',
    })
    await isAnswered(chat)
    await expectShown({ chat, url: fixture.url })
    expect(toolStatesOn(chat)).toEqual(['output-error'])
    expect(toolResultsOf(fixture.model, 'master')).toContain('No signal.')
  })

  test('runs it after a reload of the page', async () => {
    await using fixture = await clientToolServer()
    await chatOn(fixture.url).sendMessage({ text: 'Where am I?' })
    const messages = await validateUIMessages({ messages: (await loadChat(fixture.url)).messages })
    const chat = chatOn(fixture.url, { messages })
    expect(toolStatesOn(chat)).toEqual(['input-available'])
    await chat.addToolOutput(inOslo)
    await isAnswered(chat)
    await expectShown({ chat, url: fixture.url })
    expect(textsOf(chat).at(-1)).toBe('One moment.You are there.')
  })

  test('runs it after the server has died and was started again', async () => {
    const { serverOptions } = locating()
    await using first = await startTestServer(serverOptions)
    const chat = chatOn(first.url)
    await chat.sendMessage({ text: 'Where am I?' })
    // Another process takes the store over, as after a crash: the first one never ended its run.
    const { openStore: _, wrapStore: __, agents = [], ...options } = serverOptions
    const logger = pino({ level: 'silent' })
    await using second = await startServer({ ...options, store: first.store, agents, logger, port: 0 })
    const later = chatOn(second.url, { messages: [...chat.messages] })
    await later.addToolOutput(inOslo)
    await isAnswered(later)
    await expectShown({ chat: later, url: second.url })
    expect(textsOf(later).at(-1)).toBe('One moment.You are there.')
  })

  test('sends the outputs of parallel calls together', async () => {
    const model = scriptedModel({
      master: [
        [calling('locate', { precise: true }, 'one'), calling('locate', { precise: false }, 'two')],
        [saying('Done.')],
      ],
    })
    await using fixture = await clientToolServer({ model })
    const chat = chatOn(fixture.url)
    await chat.sendMessage({ text: 'Where are we?' })
    await chat.addToolOutput({ ...inOslo, toolCallId: 'one' })
    expect(chat.status).toBe('ready')
    await chat.addToolOutput({ ...inOslo, toolCallId: 'two', output: { city: 'Bergen' } })
    await isAnswered(chat)
    await expectShown({ chat, url: fixture.url })
    expect(toolResultsOf(model, 'master')).toContain('Bergen')
  })

  test('waits again for the next call of the same answer', async () => {
    const model = scriptedModel({
      master: [
        [saying('First.'), calling('locate', { precise: false }, 'one')],
        [saying('Second.'), calling('locate', { precise: true }, 'two')],
        [saying('Done.')],
      ],
    })
    await using fixture = await clientToolServer({ model })
    const chat = chatOn(fixture.url)
    await chat.sendMessage({ text: 'Where am I?' })
    await chat.addToolOutput({ ...inOslo, toolCallId: 'one' })
    await isShownReady(chat, () => toolStatesOn(chat).length === 2)
    await chat.addToolOutput({ ...inOslo, toolCallId: 'two' })
    await isAnswered(chat)
    await expectShown({ chat, url: fixture.url })
    expect(textsOf(chat).at(-1)).toBe('First.Second.Done.')
  })

  test('asks the person first when the tool needs approval', async () => {
    const guarded = toolFactory(
      'guarded',
      tool({ inputSchema: z.object({}), needsApproval: async () => true }),
    )
    const model = scriptedModel({ master: [[calling('guarded', {}, 'g')], [saying('Done.')]] })
    await using fixture = await clientToolServer({ model, tools: [guarded] })
    const chat = approvalChat(fixture.url)
    await chat.sendMessage({ text: 'Do it.' })
    expect(toolStatesOn(chat)).toEqual(['approval-requested'])
    await chat.addToolApprovalResponse({ id: requestOn(chat), approved: true })
    await isShownReady(chat, () => !toolStatesOn(chat).includes('approval-requested'))
    const { messages } = await loadChat(fixture.url)
    const page = chatOn(fixture.url, { messages: await validateUIMessages({ messages }) })
    await page.addToolOutput({ tool: 'guarded', toolCallId: 'g', output: 'done' })
    await isAnswered(page)
    expect(textsOf(page).at(-1)).toBe('Done.')
  })
})

describe('a call that waits for the page', () => {
  test('ends with an error when nothing comes in time, and the answer goes on', async () => {
    await using fixture = await clientToolServer({ limits: { maxApprovalMs: 20 } })
    await (await ask(fixture.url, { form: '?approvals=wait' })).text()
    const answer = await loadAnswer(fixture.url)
    expect(answer.metadata?.status).toBe('finished')
    expect(toolResultsOf(fixture.model, 'master')).toContain('did not run this tool in time')
  })

  test('ends when the answer is stopped', async () => {
    await using fixture = await clientToolServer()
    const chat = chatOn(fixture.url)
    await chat.sendMessage({ text: 'Where am I?' })
    await stop(fixture.url)
    const answer = await loadAnswer(fixture.url)
    expect(answer.metadata?.status).toBe('stopped')
    expect(answer.parts.find(({ type }) => type === 'tool-locate')).toMatchObject({ state: 'output-error' })
    await chat.addToolOutput(inOslo)
    await isAnswered(chat)
    expect(chat.lastMessage).toMatchObject({ metadata: { status: 'stopped' } })
  })

  test('refuses an output that is too large, and goes on waiting', async () => {
    await using fixture = await clientToolServer({ limits: { maxToolOutputBytes: 1_000 } })
    const chat = chatOn(fixture.url)
    await chat.sendMessage({ text: 'Where am I?' })
    await chat.addToolOutput({ ...inOslo, output: { city: 'O'.repeat(2_000) } })
    await isShownReady(chat, () => chat.status === 'error')
    expect(chat.error?.message).toContain('output-too-large')
    expect((await loadAnswer(fixture.url)).metadata?.status).toBe('streaming')
  })
})
