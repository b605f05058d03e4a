import { mcpTools } from '@throughline/agents/internal'
import type { McpTools } from '@throughline/agents/testing'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, sendJson } from '@throughline/testing/http/chat-requests'
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
      { action: 'accept', content: { name: 'Ada', window: true, extras: ['meal'] } },
      {
        action: 'accept',
        content: { name: 'Ada', seats: 1, class: 'second', window: true, extras: ['meal'] },
      },
    ],
    [
      'takes long values, and values as JSON in a text',
      JSON.stringify({ name: 'Ada'.repeat(1_000) }),
      { action: 'accept', content: { name: 'Ada'.repeat(1_000), seats: 1, class: 'second' } },
    ],
    ['is declined', { action: 'decline' }, { action: 'decline' }],
    ['is cancelled', { action: 'cancel' }, { action: 'cancel' }],
    ['is cancelled without a value that it needs', { action: 'accept' }, { action: 'cancel' }],
    ['is cancelled with a value that does not fit', { name: 'Ada', seats: 12 }, { action: 'cancel' }],
    ['is cancelled with a text for several fields', 'Ada', { action: 'cancel' }],
  ])('%s', async (_, output, expected) => {
    await using world = await startWorld()
    const { stream } = world
    await stream.until('requestId')
    const shown = stream.bytes.toString()
    expect(shown).toContain('"toolName":"elicitation"')
    expect(shown).toContain(question.message)
    await reply(world, { output })
    await stream.until('[DONE]')
    const results = toolResultsOf(world.model, 'master').replaceAll('\\', '')
    expect(results).toContain(JSON.stringify(expected))
    const part = (await loadAnswer(world.server.url)).parts.find(
      each => 'toolName' in each && each.toolName === 'elicitation',
    )
    expect(part).toMatchObject({ input: { server: 'asker', ...question }, output: expected })
  })

  test('is cancelled when whoever could reply says that they cannot', async () => {
    await using world = await startWorld()
    await world.stream.until('requestId')
    await reply(world, { errorText: 'Nobody is there.' })
    await world.stream.until('[DONE]')
    expect(toolResultsOf(world.model, 'master')).toContain('cancel')
  })

  test('with one field takes a text, as channels and terminals send it', async () => {
    const properties = { seats: { type: 'integer', maximum: 9 } }
    const requestedSchema = { type: 'object', properties }
    await using world = await startWorld([
      calling('asker_book', { message: 'How many seats?', requestedSchema }),
    ])
    await world.stream.until('requestId')
    await reply(world, { output: ' 3 ' })
    await world.stream.until('[DONE]')
    expect(toolResultsOf(world.model, 'master').replaceAll('\\', '')).toContain('{"seats":3}')
  })

  test('reaches the person from a sub-agent, too', async () => {
    await using world = await startWorld([asking('helper')])
    await world.stream.until('requestId')
    await reply(world, { output: { action: 'accept', content: { name: 'Ada' } } })
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

/** Gives the question that was shown its output. */
async function reply({ server, stream }: Awaited<ReturnType<typeof startWorld>>, body: object) {
  const [, id] = /"requestId":"([^"]+)"/.exec(stream.bytes.toString()) ?? []
  expect((await sendJson(`${server.url}/api/outputs/${id}`, body)).status).toBe(200)
}

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
  const stream = started.use(new SseBytes(await ask(server.url, { form: '?subAgents=separate' })))
  const running = started.move()
  return { server, model, stream, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
