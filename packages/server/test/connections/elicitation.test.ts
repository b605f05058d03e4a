import { type McpTools, mcpTools } from '@throughline/agents/mcp/mcp-tools'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startAskingMcpServer } from '@throughline/testing/mcp/asking-mcp-server'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { describe, expect, test } from 'vitest'

const question = {
  message: 'How do you want to travel?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2 },
      seats: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      class: { type: 'string', enum: ['first', 'second'], default: 'second' },
      window: { type: 'boolean' },
      extras: { type: 'array', items: { type: 'string', enum: ['meal', 'bicycle'] } },
    },
    required: ['name'],
  },
}

describe('a question of an MCP server', () => {
  test.each([
    [
      'is accepted with values, and has its defaults',
      { approved: true, reason: JSON.stringify({ name: 'Ada', window: true, extras: ['meal'] }) },
      {
        action: 'accept',
        content: { name: 'Ada', seats: 1, class: 'second', window: true, extras: ['meal'] },
      },
    ],
    ['is declined', { approved: false }, { action: 'decline' }],
    ['is cancelled', { approved: false, reason: 'cancel' }, { action: 'cancel' }],
    ['is cancelled without a value that it needs', { approved: true }, { action: 'cancel' }],
    [
      'is cancelled with a value that does not fit',
      { approved: true, reason: JSON.stringify({ name: 'Ada', seats: 12 }) },
      { action: 'cancel' },
    ],
    ['is cancelled with values that cannot be read', { approved: true, reason: 'Ada' }, { action: 'cancel' }],
  ])('%s', async (_, decision, expected) => {
    await using world = await startWorld()
    const { stream } = world
    await stream.until('approvalId')
    const shown = stream.bytes.toString()
    expect(shown).toContain('"toolName":"elicitation"')
    expect(shown).toContain(question.message)
    expect((await decide(world.server.url, approvalIn(stream.bytes), decision)).status).toBe(200)
    await stream.until('[DONE]')
    const results = toolResultsOf(world.model, 'master').replaceAll('\\', '')
    expect(results).toContain(JSON.stringify(expected))
    const part = (await loadAnswer(world.server.url)).parts.find(
      each => 'toolName' in each && each.toolName === 'elicitation',
    )
    expect(part).toMatchObject({ input: { server: 'asker', ...question } })
    if (decision.approved) expect(part).toMatchObject({ output: expected })
  })

  test('reaches the person from a sub-agent, too', async () => {
    await using world = await startWorld([asking('helper')])
    await world.stream.until('approvalId')
    await decide(world.server.url, approvalIn(world.stream.bytes), {
      approved: true,
      reason: '{"name":"Ada"}',
    })
    await world.stream.until('[DONE]')
    expect(toolResultsOf(world.model, 'helper')).toContain('accept')
  })

  test('that nobody replies to in time is cancelled, and the time of the call does not run meanwhile', async () => {
    await using world = await startWorld(undefined, { callTimeoutMs: 50, maxApprovalMs: 300 })
    await world.stream.until('[DONE]')
    expect(toolResultsOf(world.model, 'master')).toContain('cancel')
  })

  test('that cannot be shown is refused, and the server reads why', async () => {
    await using world = await startWorld([
      calling('asker_book', { message: 'Look:', requestedSchema: { type: 'object', properties: { x: {} } } }),
    ])
    await world.stream.until('[DONE]')
    expect(toolResultsOf(world.model, 'master')).toContain('This question cannot be asked')
    expect(JSON.stringify(await loadChat(world.server.url))).not.toContain('"elicitation"')
  })
})

interface Times {
  readonly callTimeoutMs?: number
  readonly maxApprovalMs?: number
}

async function startWorld(
  first = [calling('asker_book', question)],
  { callTimeoutMs = 20_000, maxApprovalMs = 60_000 }: Times = {},
) {
  await using started = new AsyncDisposableStack()
  const mcp = started.use(await startAskingMcpServer())
  const servers = { asker: { url: mcp.url, tools: ['*'] } }
  const { tools, close }: McpTools = await mcpTools(servers, { callTimeoutMs })
  started.defer(close)
  const model = scriptedModel({
    master: [first, [saying('Booked.')]],
    helper: [[calling('asker_book', question)], [saying('Booked.')]],
  })
  const server = started.use(
    await startDelegation({
      model,
      tools,
      limits: { maxApprovalMs },
      subAgents: [subAgent('helper', { tools: ['asker_book'] })],
    }),
  )
  const stream = started.use(new SseBytes(await ask(server.url)))
  const running = started.move()
  return { server, model, stream, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
