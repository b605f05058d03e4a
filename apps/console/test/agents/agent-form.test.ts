import type { DefinitionBody } from '@throughline/protocol/internal'
import { expect, test } from 'vitest'
import { definitionBody, draftOf, emptyDraft, isSameDraft } from '../../src/pages/agents/form/agent-draft.ts'
import { fillPrompt } from '../../src/pages/agents/form/prompt.ts'

const definition: DefinitionBody = {
  id: 'agent_1',
  name: 'writer',
  displayName: 'writer',
  enabled: true,
  systemPrompt: 'Write.',
  model: { provider: 'demo', modelId: 'demo', params: { temperature: 0 } },
  toolKeys: ['calculator'],
  allowedSubAgents: [],
  maxSteps: 3,
  pageIds: ['start'],
  version: 4,
  updatedAt: '2026-01-01T00:00:00.000Z',
  warnings: [],
}

test('a definition that is not changed is sent back as it was', () => {
  expect(JSON.parse(JSON.stringify(definitionBody(draftOf(definition), definition)))).toEqual({
    id: 'agent_1',
    version: 4,
    pageIds: ['start'],
    enabled: true,
    systemPrompt: 'Write.',
    model: { provider: 'demo', modelId: 'demo', params: { temperature: 0 } },
    toolKeys: ['calculator'],
    allowedSubAgents: [],
    maxSteps: 3,
  })
})

test('a field that is emptied, and a model that is not wanted any more, are left out', () => {
  const draft = { ...draftOf(definition), maxSteps: '', hasModel: false }
  const body = definitionBody(draft, definition)
  expect(body['maxSteps']).toBeUndefined()
  expect(body['model']).toBeUndefined()
  expect(isSameDraft(draft, draftOf(definition))).toBe(false)
})

test('a parameter that was written and emptied again is no change', () => {
  const { params, ...draft } = draftOf(definition)
  expect(isSameDraft({ ...draft, params: { ...params, topP: '' } }, draftOf(definition))).toBe(true)
  expect(isSameDraft(emptyDraft, { ...emptyDraft, name: 'new' })).toBe(false)
})

test('the variables of a prompt are filled in, and unknown ones stay', () => {
  expect(fillPrompt('You are {{ agentName }}. {{who}} {{mode}}{', { agentName: 'Ann', mode: '' })).toEqual([
    { type: 'text', text: 'You are ' },
    { type: 'value', variable: 'agentName', text: 'Ann' },
    { type: 'text', text: '. ' },
    { type: 'unknown', variable: 'who' },
    { type: 'text', text: ' ' },
    { type: 'value', variable: 'mode', text: '' },
    { type: 'text', text: '{' },
  ])
  expect(fillPrompt('{{toString}}', {})).toEqual([{ type: 'unknown', variable: 'toString' }])
})
