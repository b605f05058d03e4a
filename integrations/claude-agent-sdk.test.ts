import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fromClaudeAgentSdk } from '@throughline/agents/claude-agent-sdk'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { expect, test } from 'vitest'
import { answerOf, calling, saying, serve } from './claude-agent-sdk/serve.ts'

test('text, a tool call with its result, and text come through, and the usage of both calls', async () => {
  const turns = [[saying('Let me look. '), calling('weather', { city: 'Lisbon' })], [saying('It is clear.')]]
  const { parts, metadata } = await answerOf(turns)
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Let me look. ' },
    {
      type: 'tool-mcp__shop__weather',
      title: 'weather',
      state: 'output-available',
      input: { city: 'Lisbon' },
      output: 'Clear in Lisbon.',
    },
    { type: 'data-step', data: { status: 'completed' } },
    { type: 'step-start' },
    { type: 'text', text: 'It is clear.' },
  ])
  const used = { calls: 2, inputTokens: 34, outputTokens: 10, cachedInputTokens: 8 }
  expect(metadata).toMatchObject({
    status: 'finished',
    finishReason: 'stop',
    usage: { byModel: { 'anthropic:claude-sonnet-4-5': used } },
  })
})

test('thinking comes through as reasoning, and what a tool throws is an error of its call', async () => {
  const thinks = { type: 'thinking', thinking: 'Which city?', signature: 'sig' } as const
  const turns = [[thinks, calling('weather', { city: 'Atlantis' })], [saying('Sorry.')]]
  const { parts, metadata } = await answerOf(turns)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'reasoning', text: 'Which city?' }))
  const errorText = expect.stringContaining('There is no such city.')
  expect(parts).toContainEqual(expect.objectContaining({ state: 'output-error', errorText }))
  expect(metadata?.status).toBe('finished')
})

test('each answer goes on from the session of the answer before, also after an edit', async () => {
  await using server = await serve([
    [saying('Hello Ada.')],
    [saying('You are Ada.')],
    [saying('You are Bob.')],
  ])
  await (await ask(server.url, { text: 'I am Ada.' })).text()
  await (await ask(server.url, { text: 'Who am I?', messageId: 'second' })).text()
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
  // The session has the answer before, so the chat is not told again.
  expect(server.requests[1]).toContain('"text":"Hello Ada."')
  expect(server.requests[1]).not.toContain('This is what was said')
  const edit = { id: 'chat', trigger: 'submit-message', messageId: 'second' }
  await (await ask(server.url, { text: 'Who was I?', messageId: 'second', fields: edit })).text()
  expect(server.requests[2]).toContain('Who was I?')
  expect(server.requests[2]).toContain('Hello Ada.')
  expect(server.requests[2]).not.toContain('You are Ada.')
})

test('without the session of the answer before, the agent is told the chat', async () => {
  await using server = await serve([
    [calling('weather', { city: 'Oslo' })],
    [saying('It is clear.')],
    [saying('In Oslo.')],
  ])
  await (await ask(server.url)).text()
  const projects = join(server.home, '.claude/projects')
  expect(await readdir(projects)).toHaveLength(1)
  await rm(projects, { recursive: true })
  const message = messageWith([picturePart], 'Where was that?', 'second')
  await (await ask(server.url, { fields: { messages: [message] } })).text()
  expect((await loadAnswer(server.url)).parts).toContainEqual(expect.objectContaining({ text: 'In Oslo.' }))
  expect(server.requests[2]).toContain('This is what was said in this chat before')
  expect(server.requests[2]).toContain('Clear in Oslo.')
  expect(server.requests[2]).toContain('"media_type":"image/png"')
})

test('what a person writes reads no file of the server, and runs no command', async () => {
  await using server = await serve([[saying('No.')], [saying('No.')]])
  await (await ask(server.url, { text: 'Read @/etc/hostname, and @package.json' })).text()
  await (await ask(server.url, { text: '/cost', messageId: 'second' })).text()
  expect(server.requests).toHaveLength(2)
  expect(server.requests[0]).toContain('Read @/etc/hostname, and @package.json')
  expect(server.requests[0]).not.toContain('tool_result')
  expect(server.requests[0]).not.toContain('Called the Read tool')
  expect(server.requests[1]).toContain('"text":"/cost"')
})

test.each([
  [{ approved: true }, 'output-available', ['all']],
  [{ approved: false, reason: 'Not today' }, 'output-denied', []],
])('a tool that is not allowed waits for a person: %j', async (decision, state, expected) => {
  const removed: string[] = []
  const turns = [[saying('I try. '), calling('remove', { what: 'all' })], [saying('Done.')]]
  await using server = await serve(turns, { removed })
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"approvalId":')
  expect(removed).toEqual([])
  await decide(server.url, approvalIn(stream.bytes), decision)
  await stream.rest()
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts.find(({ type }) => type === 'tool-mcp__shop__remove')).toMatchObject({ state })
  expect(parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.' })
  expect(metadata?.status).toBe('finished')
  expect(removed).toEqual(expected)
  expect(server.requests[1]?.includes('Not today')).toBe('reason' in decision)
})

test('a stop ends the model call, and what was said and what was used is kept', async () => {
  const left = Promise.withResolvers<void>()
  const turns = [{ hangsAfter: [saying('One moment. ')], hasLeft: left.resolve }, [saying('Again.')]]
  await using server = await serve(turns)
  const reading = ask(server.url).then(response => response.text())
  await expect.poll(async () => JSON.stringify((await loadAnswer(server.url)).parts)).toContain('One moment.')
  await stop(server.url)
  await reading
  await left.promise
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
  expect(metadata).toMatchObject({ status: 'stopped', usage: { inputTokens: 17 } })
  await (await ask(server.url, { text: 'Go on.', messageId: 'second' })).text()
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
  expect(server.requests[1]).toContain('How is the weather?')
})

test('what a sub-agent of the SDK says is not shown, and what it uses is counted, also in a session that goes on', async () => {
  const task = { description: 'Look', prompt: 'How is Oslo?', subagent_type: 'helper' }
  const asks = { type: 'tool_use', id: 'toolu_task', name: 'Agent', input: task } as const
  const round = [[asks], [saying('Secretly clear.')], [saying('Clear, they say.')]]
  const options = {
    tools: ['Agent'],
    allowedTools: ['Agent'],
    agents: { helper: { description: 'Looks.', prompt: 'You are a helper.', tools: [] } },
    env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
  }
  await using server = await serve([...round, ...round], { options })
  for (const messageId of ['first', 'second']) {
    await (await ask(server.url, { messageId })).text()
    const { parts, metadata } = await loadAnswer(server.url)
    expect(metadata).toMatchObject({ status: 'finished', usage: { inputTokens: 51 } })
    expect(parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'Clear, they say.' }])
    expect(parts.find(({ type }) => type === 'tool-Agent')).toMatchObject({ state: 'output-available' })
  }
})

test('an error of the API is explained as for every agent', async () => {
  const turns = [{ status: 401, type: 'authentication_error' }]
  const { parts, metadata } = await answerOf(turns)
  expect(metadata).toMatchObject({ status: 'failed', statusText: expect.stringContaining('(401)') })
  expect(JSON.stringify(parts)).not.toContain('Refused.')
})

test('after maxSteps model calls the answer ends, and says that a limit was reached', async () => {
  const turns = [[calling('weather', { city: 'Oslo' })], [saying('Never.')]]
  expect((await answerOf(turns, { maxSteps: 1 })).metadata?.status).toBe('limit')
})

test('without Claude Code the answer fails, and the server goes on', async () => {
  const options = { pathToClaudeCodeExecutable: '/nowhere/claude' }
  expect((await answerOf([], { options })).metadata?.status).toBe('failed')
})

test('an option that the adapter sets itself is refused', () => {
  const query = async function* () {}
  expect(() => fromClaudeAgentSdk(query, { options: { resume: 'mine' } })).toThrow(
    'the option "resume" is set for each answer',
  )
})
