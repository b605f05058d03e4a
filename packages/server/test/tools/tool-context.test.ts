import { setImmediate } from 'node:timers/promises'
import { type ToolContext, type ToolFactory, toolContext, toolFactory } from '@throughline/agents'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { entryWith, messagesBy, readLog } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'

function lookTool(execute: () => unknown): ToolFactory {
  return toolFactory('look', tool({ description: 'Looks.', inputSchema: z.object({}), execute }))
}

const model = () =>
  scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[calling('look', {}, 'call')], [saying('Seen.')]],
  })

test.each<[string, (see: () => unknown) => unknown]>([
  ['at once', see => see()],
  ['after a while', async see => setImmediate().then(see)],
  [
    'in a generator',
    async function* (see) {
      yield 'looking'
      await setImmediate()
      yield see()
    },
  ],
])('a tool sees the chat, the run, the owner and the agents above it, %s', async (_, when) => {
  let seen: ToolContext | undefined
  const see = () => {
    seen = toolContext()
    return 'seen'
  }
  const helper = subAgent('helper', { tools: ['look'] })
  await using server = await startDelegation({
    model: model(),
    tools: [lookTool(() => when(see))],
    subAgents: [helper],
  })
  const fields = {
    context: { workspaceId: 'shop', tabs: [{ id: 't', url: 'https://example.com/' }], activeTabId: 't' },
  }
  await (await ask(server.url, { fields })).text()
  const { messages } = await loadChat(server.url)
  const [entry] = await readLog(server.url)
  expect(seen).toMatchObject({
    ownerId: 'local',
    chatId: 'chat',
    runId: entry?.runId,
    messageId: messagesBy(messages, 'helper')[0]?.id,
    toolCallId: '1:call',
    agent: { kind: 'sub', name: 'helper', depth: 1, path: ['master', 'helper'] },
    workspaceId: 'shop',
    tab: { url: 'https://example.com/' },
    mode: 'browse',
  })
})

test('what a tool sends to the page comes after its call', async () => {
  const looking = lookTool(async () => {
    await toolContext().sendToPage({ type: 'look-here' })
    return 'sent'
  })
  const helper = subAgent('helper', { tools: ['look'] })
  await using server = await startDelegation({ model: model(), tools: [looking], subAgents: [helper] })
  await (await ask(server.url)).text()
  const entries = await readLog(server.url)
  const called = entryWith(entries, 'tool-input-available', { toolCallId: '1:call' })
  const sent = entryWith(entries, 'data-ui-event')
  expect(sent.messageId).toBe(called.messageId)
  expect(sent.seq).toBeGreaterThan(called.seq)
})

test('outside of a tool there is no context', () => {
  expect(() => toolContext()).toThrow('only inside a run')
})
