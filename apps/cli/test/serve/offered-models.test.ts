import { scriptedModel } from '@throughline/testing/agent/scripted-model'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/serve/create-throughline.ts'
import { installedModels } from '../../src/serve/installed-agents.ts'

const keys = { OPENAI_API_KEY: 'sk-secret', ANTHROPIC_API_KEY: 'sk-secret' }
const namesOf = (models: ReturnType<typeof installedModels>) =>
  models.map(model => (typeof model === 'string' ? model : `${model.provider} ${model.modelId}`))

test('models come from the configuration, as names or as models, and from the environment', () => {
  const own = scriptedModel({}, 'own')
  const env = { ...keys, THROUGHLINE_MODELS: ' openai-chat:gpt-5 , anthropic:claude-x,' }
  expect(namesOf(installedModels({ models: ['openai:gpt-5-mini', own] }, env))).toEqual([
    'openai.responses gpt-5-mini',
    'test own',
    'openai.chat gpt-5',
    'anthropic.messages claude-x',
  ])
  expect(installedModels({}, {})).toEqual([])
})

test.each([
  ['openia:gpt-5', keys, 'THROUGHLINE_MODELS names "openia", which is not a known provider.'],
  ['openai:', keys, 'THROUGHLINE_MODELS names no model.'],
  ['openai:gpt-5', {}, 'OPENAI_API_KEY is not set.'],
  ['openai:gpt-5', {}, 'Or remove its models from THROUGHLINE_MODELS.'],
  ['openai:gpt-5,openai-chat:gpt-5', keys, 'two of them are called "openai:gpt-5". Remove one.'],
])('THROUGHLINE_MODELS=%s with %o is refused: %s', (names, env, problem) => {
  expect(() => installedModels({}, { ...env, THROUGHLINE_MODELS: names })).toThrow(problem)
})

test('a server with models in its options lets people choose one', async () => {
  await using folder = await temporaryFolder()
  await using throughline = await createThroughline({
    data: folder.path,
    database: false,
    env: { ...keys, THROUGHLINE_MODELS: 'openai:gpt-5' },
    models: ['anthropic:claude-x'],
  })
  const listed = await throughline.fetch(new Request('http://localhost/api/agents'))
  expect((await listed.json()).agents[0].models).toEqual([
    'throughline:demo',
    'anthropic:claude-x',
    'openai:gpt-5',
  ])
})
