import { expect, test } from 'vitest'
import { subAgentDefinitionSchema, subAgentFieldsSchema } from '../../src/definitions/sub-agent-definition.ts'

const least = { name: 'writer', description: 'Writes.', systemPrompt: 'You write.' }

test('a name, a description and a prompt are enough', () => {
  expect(subAgentFieldsSchema.parse(least)).toEqual({
    ...least,
    enabled: true,
    toolKeys: [],
    allowedSubAgents: [],
    pageIds: [],
  })
})

test('a definition has every field that was asked for', () => {
  const definition = {
    ...least,
    id: 'agent_1',
    workspaceId: 'work',
    displayName: 'The writer',
    enabled: false,
    model: { provider: 'openai', modelId: 'gpt-5', params: { temperature: 0.2, maxOutputTokens: 500 } },
    toolKeys: ['calculator'],
    allowedSubAgents: ['reader'],
    maxDepth: 2,
    maxSteps: 5,
    version: 3,
    updatedAt: '2026-01-01T00:00:00.000Z',
    pageIds: ['page-1'],
  }
  expect(subAgentDefinitionSchema.parse(definition)).toEqual(definition)
})

test.each(['gpt-5', 'llama3.2:3b', 'meta-llama/Llama-3', 'ft:gpt-4o:acme::x1', 'claude@20250101'])(
  '%s can be the id of a model',
  modelId => {
    const model = { provider: 'openai', modelId }
    expect(subAgentFieldsSchema.parse({ ...least, model }).model).toEqual(model)
  },
)

test.each([
  ['a name that cannot stand in a URL', { name: 'a/b' }],
  ['the name ".."', { name: '..' }],
  ['a wildcard for whom it may ask', { allowedSubAgents: ['*'] }],
  ['a blank prompt', { systemPrompt: ' \n ' }],
  ['a prompt that is too long', { systemPrompt: 'x'.repeat(20_001) }],
  ['a description that is too long', { description: 'x'.repeat(1_001) }],
  ['too many tools', { toolKeys: Array.from({ length: 101 }, (_, index) => `tool-${index}`) }],
  ['no steps', { maxSteps: 0 }],
  ['half a step', { maxSteps: 1.5 }],
  ['a negative depth', { maxDepth: -1 }],
  ['code', { execute: 'return 1' }],
  ['an address for its model', { model: { provider: 'openai', modelId: 'm', baseURL: 'http://x' } }],
  ['a path for a model', { model: { provider: 'google', modelId: '../files' } }],
  ['a query for a model', { model: { provider: 'google', modelId: 'gemini?key=x' } }],
  ['headers for its model', { model: { provider: 'openai', modelId: 'm', params: { headers: {} } } }],
  ['a setting that is no number', { model: { provider: 'a', modelId: 'm', params: { temperature: '1' } } }],
])('%s is refused', (_, change) => {
  expect(subAgentFieldsSchema.safeParse({ ...least, ...change }).success).toBe(false)
})
