import { expect, test } from 'vitest'
import { type AgentsBody, isAgentsBody, type SubAgentBody } from '../../src/wire/agent-bodies.ts'
import { bodyCheck, isNumber, listOf, maybe, oneOf } from '../../src/wire/body-check.ts'
import { isFoundChats } from '../../src/wire/chat-bodies.ts'
import { type DefinitionBody, isDefinitionBody } from '../../src/wire/definition-bodies.ts'
import { isSharedChat } from '../../src/wire/share-bodies.ts'
import { isServerStatus, type ServerStatus } from '../../src/wire/status-bodies.ts'

const inCode: SubAgentBody = {
  source: 'code',
  name: 'researcher',
  displayName: 'Researcher',
  enabled: true,
  model: 'openai:gpt-5',
  toolKeys: ['*'],
  allowedSubAgents: [],
}
const definition: DefinitionBody = {
  name: 'writer',
  displayName: 'Writer',
  enabled: true,
  systemPrompt: 'Write.',
  model: { provider: 'openai', modelId: 'gpt-5', params: { temperature: 1 } },
  toolKeys: [],
  allowedSubAgents: ['researcher'],
  pageIds: [],
  id: 'agent_1',
  version: 1,
  updatedAt: '2026-11-19T10:00:00.000Z',
  warnings: [{ code: 'cycle', field: 'allowedSubAgents', message: 'A cycle.' }],
}
const agents: AgentsBody = {
  agents: [
    { name: 'assistant', displayName: 'Assistant', toolKeys: [], allowedSubAgents: ['*'], maxDepth: 2 },
  ],
  subAgents: [inCode, { ...definition, source: 'database', answersPeople: true }],
  promptVariables: ['agentName'],
  definable: { models: [{ provider: 'openai', modelId: 'gpt-5' }], maxOutputTokens: 4_000 },
}
const status: ServerStatus = {
  agents: [{ name: 'assistant', displayName: 'Assistant' }],
  store: { status: 'ok' },
  operator: {
    nodeVersion: '24.0.0',
    upSeconds: 1,
    database: {},
    keys: [{ name: 'OPENAI_API_KEY', isSet: true }],
    runs: 0,
    waitingSubmissions: 0,
    viewers: 0,
  },
}

test('what the server sends is taken, after its way through JSON', () => {
  expect(isAgentsBody(sent(agents))).toBe(true)
  expect(isDefinitionBody(sent(definition))).toBe(true)
  expect(isServerStatus(sent(status))).toBe(true)
  expect(isServerStatus(sent({ ...status, operator: undefined }))).toBe(true)
})

test.each(['agents', 'subAgents', 'promptVariables', 'definable'] as const)(
  'a list of agents without "%s" is refused',
  field => {
    const { [field]: _, ...rest } = agents
    expect(isAgentsBody(rest)).toBe(false)
  },
)

test.each([
  { ...agents, agents: 3 },
  { ...agents, agents: [{ ...agents.agents[0], displayName: 3 }] },
  { ...agents, subAgents: [{ ...inCode, source: 'elsewhere' }] },
  { ...agents, subAgents: [{ ...inCode, model: { provider: 'openai' } }] },
  { ...agents, subAgents: [null] },
  [agents],
  null,
  'agents',
])('a list of agents with a field of another type is refused: %j', body => {
  expect(isAgentsBody(body)).toBe(false)
})

test('fields that this version does not know are allowed, at every depth', () => {
  expect(isAgentsBody({ ...agents, agents: [{ ...agents.agents[0], colour: 'red' }], more: 1 })).toBe(true)
  expect(isServerStatus({ ...status, store: { ...status.store, since: 'yesterday' } })).toBe(true)
})

test('a part that cannot be read does not take its message with it, but a message without parts is refused', () => {
  const shared = { title: 'Trip', sharedAt: '2026-11-19T10:00:00.000Z' }
  const message = { id: 'm1', role: 'user', parts: [3] }
  expect(isSharedChat({ ...shared, messages: [message] })).toBe(true)
  expect(isSharedChat({ ...shared, messages: [{ ...message, parts: undefined }] })).toBe(false)
  expect(isSharedChat({ messages: [message] })).toBe(false)
})

test('a chat that was found has a line of a message, or none', () => {
  const chat = { id: 'trip', title: 'Trip', createdAt: '', updatedAt: '', activity: 'idle' }
  const body = (excerpt: unknown) => ({ chats: [{ ...chat, excerpt }], isComplete: true })
  expect([undefined, 'a line', 3].map(each => isFoundChats(body(each)))).toEqual([true, true, false])
})

test('an optional field may be missing, and is checked when it is there', () => {
  const check = bodyCheck<{ readonly size?: number | undefined; readonly kind: 'a' | 'b' }>({
    size: maybe(isNumber),
    kind: oneOf('a', 'b'),
  })
  expect([{ kind: 'a' }, { kind: 'b', size: 1 }, { kind: 'c' }, { kind: 'a', size: '1' }].map(check)).toEqual(
    [true, true, false, false],
  )
  expect(listOf(check)([{ kind: 'a' }, { kind: 'c' }])).toBe(false)
  expect(listOf(check)({ 0: { kind: 'a' }, length: 1 })).toBe(false)
})

function sent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body))
}
