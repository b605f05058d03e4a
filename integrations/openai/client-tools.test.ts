import { saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { locatingModel } from '@throughline/testing/server/client-tool-server'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { apiErrorOf, openAi } from './open-ai-client.ts'

const parameters = { type: 'object', properties: { precise: { type: 'boolean' } } }
const description = 'Returns where the user is.'

test('runTools of chat completions runs the tools of the program in the middle of an answer', async () => {
  const model = locatingModel()
  await using server = await startDelegation({ model })
  const runner = openAi(server.url).chat.completions.runTools({
    model: 'master',
    messages: [{ role: 'user', content: 'Where am I?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'locate',
          description,
          parameters,
          parse: JSON.parse,
          function: ({ precise }: { precise: boolean }) => ({ city: precise ? 'Oslo' : 'Norway' }),
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('You are there.')
  expect(toolResultsOf(model, 'master')).toContain('Oslo')
  expect(model.doStreamCalls).toHaveLength(2)
})

const tools: OpenAI.Responses.FunctionTool[] = [
  { type: 'function', name: 'locate', description, parameters, strict: false },
]

test.each([false, true])(
  'responses have function calls, and go on with their outputs (stream: %s)',
  async stream => {
    const model = locatingModel()
    await using server = await startDelegation({ model })
    const { responses } = openAi(server.url)
    const create = async (body: Omit<OpenAI.Responses.ResponseCreateParams, 'model' | 'stream'>) =>
      stream
        ? responses.stream({ ...body, model: 'master' }).finalResponse()
        : responses.create({ ...body, model: 'master', stream: false })
    const first = await create({ input: 'Where am I?', tools })
    expect(first).toMatchObject({ status: 'completed', output_text: 'One moment.' })
    const [call] = first.output.flatMap(item => (item.type === 'function_call' ? [item] : []))
    expect(call).toMatchObject({ name: 'locate', arguments: '{"precise":true}', status: 'completed' })
    const output = {
      type: 'function_call_output',
      call_id: call?.call_id ?? '',
      output: '{"city":"Oslo"}',
    } as const
    const second = await create({ previous_response_id: first.id, input: [output], tools })
    expect(second).toMatchObject({ status: 'completed', output_text: 'You are there.' })
    expect(second.id).not.toBe(first.id)
    expect(toolResultsOf(model, 'master')).toContain('Oslo')
    // Both can be read later, each as it was.
    const idsOf = async (id: string) => (await responses.retrieve(id)).output.map(item => item.id)
    expect(await idsOf(first.id)).toEqual(first.output.map(({ id }) => id))
    expect(await idsOf(second.id)).toEqual(second.output.map(({ id }) => id))
    const again = await create({ previous_response_id: first.id, input: [output], tools })
    expect(again.output_text).toBe('You are there.')
  },
)

test('a response that is not stored can go on too, and is removed afterwards', async () => {
  const model = locatingModel()
  await using server = await startDelegation({ model })
  const { responses } = openAi(server.url)
  const asked = { model: 'master', store: false, tools } as const
  const question = { role: 'user', content: 'Where am I?' } as const
  const first = await responses.create({ ...asked, input: [question] })
  const calls = first.output.flatMap(item => (item.type === 'function_call' ? [item] : []))
  const messages = first.output.flatMap(item => (item.type === 'message' ? [item] : []))
  const output = { type: 'function_call_output', call_id: calls[0]?.call_id ?? '', output: 'Oslo' } as const
  const second = await responses.create({ ...asked, input: [question, ...messages, ...calls, output] })
  expect(second.output_text).toBe('You are there.')
  await expect.poll(async () => (await apiErrorOf(responses.retrieve(second.id))).status).toBe(404)
})

test('tools of the program are left out with tool_choice none', async () => {
  const model = scriptedModel({ master: [[saying('Hello.')]] })
  await using server = await startDelegation({ model })
  const { output_text } = await openAi(server.url).responses.create({
    model: 'master',
    input: 'Hello?',
    tools,
    tool_choice: 'none',
  })
  expect(output_text).toBe('Hello.')
  expect(JSON.stringify(model.doStreamCalls[0]?.tools ?? [])).not.toContain('locate')
})
