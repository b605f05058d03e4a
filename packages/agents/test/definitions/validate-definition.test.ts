import { expect, test } from 'vitest'
import { type SubAgentFields, subAgentFieldsSchema } from '../../src/definitions/sub-agent-definition.ts'
import {
  definitionWarnings,
  type Surroundings,
  validateDefinition,
} from '../../src/definitions/validate-definition.ts'

const surroundings: Surroundings = {
  toolKeys: ['calculator', 'weather'],
  inCode: [{ name: 'browser', allowedSubAgents: [] }],
  defined: [
    { name: 'reader', allowedSubAgents: ['browser'] },
    { name: 'editor', allowedSubAgents: ['reader'] },
  ],
  masters: ['assistant'],
  models: [{ provider: 'openai', modelId: 'any' }],
  maxOutputTokens: 500,
}

test('nothing is wrong with what is known', () => {
  const definition = fieldsWith({
    systemPrompt: 'You are {{agentName}}.',
    toolKeys: ['calculator'],
    allowedSubAgents: ['browser', 'editor', 'reader'],
    model: { provider: 'openai', modelId: 'any' },
  })
  expect(validateDefinition(definition, surroundings)).toEqual([])
})

test('an unknown tool is named, with those there are; so is a wildcard', () => {
  const definition = fieldsWith({ toolKeys: ['weather', 'shell', 'shell', '*'] })
  expect(validateDefinition(definition, surroundings)).toEqual([
    {
      code: 'unknown-tool',
      field: 'toolKeys',
      message: 'There is no tool "shell". Choose from the tools calculator, weather.',
    },
    {
      code: 'unknown-tool',
      field: 'toolKeys',
      message: 'There is no tool "*". Choose from the tools calculator, weather.',
    },
  ])
})

test('a sub-agent that does not exist yet is a warning, and no error', () => {
  const definition = fieldsWith({ allowedSubAgents: ['ghost', 'reder', 'browser', 'ghost'] })
  expect(validateDefinition(definition, surroundings)).toEqual([])
  expect(definitionWarnings(definition, surroundings)).toEqual([
    {
      code: 'unknown-sub-agent',
      field: 'allowedSubAgents',
      message:
        'There is no sub-agent "ghost" yet, so it cannot be asked. There are: browser, editor, reader.',
    },
    {
      code: 'unknown-sub-agent',
      field: 'allowedSubAgents',
      message: 'There is no sub-agent "reder" yet, so it cannot be asked. Did you mean "reader"?',
    },
  ])
})

test('an agent that people talk to can never be asked', () => {
  const definition = fieldsWith({ allowedSubAgents: ['assistant'] })
  expect(messagesOf(definition, surroundings)).toEqual([
    '"assistant" talks to people, and is no sub-agent. Choose from the agents browser.',
  ])
  expect(definitionWarnings(definition, surroundings)).toEqual([])
})

test('an agent must not ask itself, nor come back to itself through others; the shortest way is told', () => {
  expect(messagesOf(fieldsWith({ allowedSubAgents: ['writer'] }), surroundings)).toEqual([
    'These agents would ask each other in a circle: writer → writer. Remove one of these steps.',
  ])
  const circle: Surroundings = {
    ...surroundings,
    defined: [
      { name: 'a', allowedSubAgents: ['b', 'writer'] },
      { name: 'b', allowedSubAgents: ['c'] },
      { name: 'c', allowedSubAgents: ['writer', 'a'] },
    ],
  }
  expect(messagesOf(fieldsWith({ allowedSubAgents: ['b'] }), circle)).toEqual([
    'These agents would ask each other in a circle: writer → b → c → writer. Remove one of these steps.',
  ])
})

test('a circle among others and a wildcard in code are not held against a definition', () => {
  const others: Surroundings = {
    ...surroundings,
    inCode: [{ name: 'planner', allowedSubAgents: ['*'] }],
    defined: [
      { name: 'a', allowedSubAgents: ['b'] },
      { name: 'b', allowedSubAgents: ['a'] },
    ],
  }
  expect(validateDefinition(fieldsWith({ allowedSubAgents: ['a', 'planner'] }), others)).toEqual([])
})

test('a circle leads through code as well, and an agent in code hides a definition of its name', () => {
  const inCode = [{ name: 'reader', allowedSubAgents: ['writer'] }]
  expect(messagesOf(fieldsWith({ allowedSubAgents: ['reader'] }), { ...surroundings, inCode })).toEqual([
    'These agents would ask each other in a circle: writer → reader → writer. Remove one of these steps.',
  ])
})

test('a long chain of agents is followed to its end', () => {
  const defined = Array.from({ length: 5_000 }, (_, index) => ({
    name: `agent-${index}`,
    allowedSubAgents: [index === 4_999 ? 'writer' : `agent-${index + 1}`],
  }))
  const [error] = validateDefinition(fieldsWith({ allowedSubAgents: ['agent-0'] }), {
    ...surroundings,
    defined,
  })
  expect(error).toMatchObject({ code: 'cycle' })
})

test('a name is taken by an agent in code or by another definition', () => {
  expect(messagesOf(fieldsWith({ name: 'browser' }), surroundings)).toEqual([
    'There is an agent "browser" in code already. Choose another name.',
  ])
  expect(messagesOf(fieldsWith({ name: 'editor' }), surroundings)).toEqual([
    'There is an agent "editor" in this workspace already. Choose another name.',
  ])
})

test('an unknown variable is named, with those there are', () => {
  const [error] = validateDefinition(fieldsWith({ systemPrompt: 'Key: {{apiKey}}' }), surroundings)
  expect(error).toMatchObject({ code: 'unknown-variable', field: 'systemPrompt' })
  expect(error?.message).toMatch(/^There is no variable \{\{apiKey\}\}\. Use one of agentName, /)
})

test('a model that the server does not have is named', () => {
  const definition = fieldsWith({ model: { provider: 'acme', modelId: 'x1' } })
  expect(validateDefinition(definition, surroundings)).toMatchObject([
    { code: 'unknown-model', field: 'model', message: expect.stringContaining('"acme:x1"') },
  ])
})

test('everything that is wrong is told at once', () => {
  const definition = fieldsWith({
    systemPrompt: '{{x}}',
    toolKeys: ['shell'],
    allowedSubAgents: ['assistant', 'writer'],
  })
  expect(validateDefinition(definition, surroundings).map(({ code }) => code)).toEqual([
    'unknown-variable',
    'unknown-tool',
    'unknown-sub-agent',
    'cycle',
  ])
})

function messagesOf(fields: SubAgentFields, known: Surroundings): readonly string[] {
  return validateDefinition(fields, known).map(({ message }) => message)
}

function fieldsWith(change: Partial<SubAgentFields>): SubAgentFields {
  return subAgentFieldsSchema.parse({
    name: 'writer',
    description: 'Writes.',
    systemPrompt: 'You write.',
    ...change,
  })
}
