import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import {
  DefinedSubAgent,
  type SubAgentDefinition,
  subAgentDefinitionSchema,
} from '../../src/definitions/sub-agent-definition.ts'
import { workingFrame } from './working-frame.ts'

const model = new MockLanguageModelV4()
const spec = { provider: 'test', modelId: 'big', params: { temperature: 0 } }

test('it is what its definition says', () => {
  const agent = new DefinedSubAgent(
    definitionWith({
      displayName: 'The writer',
      toolKeys: ['calculator'],
      allowedSubAgents: ['reader'],
      maxDepth: 2,
      maxSteps: 4,
    }),
    () => undefined,
  )
  expect(agent).toMatchObject({
    name: 'writer',
    displayName: 'The writer',
    description: 'Writes.',
    allowedSubAgents: ['reader'],
    maxDepth: 2,
    maxSteps: 4,
    isEnabled: true,
    model: undefined,
  })
  expect(agent.toolKeys).toEqual(['calculator'])
  expect(agent.systemPrompt(workingFrame())).toBe('You write, today on 2026-01-01.')
})

test('without a name for people it goes by its own', () => {
  expect(new DefinedSubAgent(definitionWith({}), () => undefined).displayName).toBe('writer')
})

test('it runs on the model that its definition names', () => {
  const asked: unknown[] = []
  const agent = new DefinedSubAgent(definitionWith({ model: spec }), given => {
    asked.push(given)
    return model
  })
  expect(agent.model).toBe(model)
  expect(asked).toEqual([spec])
})

test('an agent that is switched off, or whose model cannot be had, cannot be asked', () => {
  expect(new DefinedSubAgent(definitionWith({ enabled: false }), () => model).isEnabled).toBe(false)
  const gone = new DefinedSubAgent(definitionWith({ model: spec }), () => undefined)
  expect(gone).toMatchObject({ isEnabled: false, missingModel: 'test:big' })
  expect(new DefinedSubAgent(definitionWith({ model: spec }), () => model).isEnabled).toBe(true)
})

function definitionWith(change: Partial<SubAgentDefinition>): SubAgentDefinition {
  return subAgentDefinitionSchema.parse({
    id: 'agent_1',
    name: 'writer',
    description: 'Writes.',
    systemPrompt: 'You write, today on {{currentDate}}.',
    version: 1,
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...change,
  })
}
