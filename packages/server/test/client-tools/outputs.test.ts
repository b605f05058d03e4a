import { createChat } from '@throughline/client'
import { queryAgent } from '@throughline/client/events'
import { type AwaitedOutput, awaitedOutputs, isChatId } from '@throughline/protocol'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { clientToolServer } from '@throughline/testing/server/client-tool-server'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

/** The call of the answer that waits, once there is one. */
async function waitingCall(url: string): Promise<AwaitedOutput> {
  const waiting = async () => awaitedOutputs(await loadAnswer(url))[0]
  await expect.poll(waiting).toBeDefined()
  const found = await waiting()
  if (found === undefined) throw new Error('Nothing waits.')
  return found
}

describe('our own client', () => {
  test('sees which call waits for it, and gives the output', async () => {
    await using fixture = await clientToolServer()
    const chat = createChat({ chatId: 'chat', url: fixture.url })
    try {
      chat.open()
      await chat.send('Where am I?')
      const waiting = () => chat.getSnapshot().messages.flatMap(awaitedOutputs)
      await expect.poll(waiting).toMatchObject([{ from: 'client', part: { input: { precise: true } } }])
      const [call] = waiting()
      await chat.addToolOutput(call?.requestId ?? '', { output: { city: 'Oslo' } })
      await expect.poll(() => chat.getSnapshot().status).toBe('ready')
      expect(waiting()).toEqual([])
      expect(chat.getSnapshot().messages.at(-1)?.parts).toContainEqual(
        expect.objectContaining({ type: 'tool-locate', output: { city: 'Oslo' } }),
      )
    } finally {
      chat.close()
    }
  })

  test('is told when somebody else has given another output', async () => {
    await using fixture = await clientToolServer()
    const chat = createChat({ chatId: 'chat', url: fixture.url })
    try {
      chat.open()
      await chat.send('Where am I?')
      const { requestId } = await waitingCall(fixture.url)
      await sendJson(`${fixture.url}/api/outputs/${requestId}`, { output: 'Bergen' })
      await chat.addToolOutput(requestId, { output: 'Oslo' })
      await expect.poll(() => chat.getSnapshot().error).toMatchObject({ code: 'output-not-waiting' })
    } finally {
      chat.close()
    }
  })
})

describe('the event API', () => {
  test('tells of the call, and takes its output', async () => {
    await using fixture = await clientToolServer()
    const text = await queryAgent(
      'Where am I?',
      'trip',
      {
        onOutputRequest: ({ tool, args, from }, give) =>
          void give({ output: { tool, args, from, city: 'Oslo' } }),
      },
      { url: fixture.url },
    )
    expect(text).toBe('One moment.\n\nYou are there.')
    expect(toolResultsOf(fixture.model, 'master')).toContain('Oslo')
  })

  test('without a stream, says what the answer waits for', async () => {
    await using fixture = await clientToolServer()
    const response = await sendJson(`${fixture.url}/agent/query`, {
      session_id: 'trip',
      message: 'Where am I?',
    })
    expect(response.status).toBe(202)
    const body: unknown = await response.json()
    expect(body).toMatchObject({
      status: 'waiting',
      approvals: [],
      outputs: [{ request_id: expect.stringMatching(/^call_/), tool: 'locate', from: 'client' }],
    })
  })
})

test('a sub-agent’s call waits for the client, too', async () => {
  const model = scriptedModel({
    master: [[calling('subAgent', { name: 'worker', task: 'Look.' })], [saying('Done.')]],
    worker: [[calling('locate', { precise: true }, 'w')], [saying('Looked.')]],
  })
  await using fixture = await clientToolServer({
    model,
    subAgents: [subAgent('worker', { tools: ['locate'] })],
  })
  await submit(fixture.url)
  const chat = idOf(isChatId, 'chat')
  const pending = async () => {
    const run = await fixture.server.store.runs.active({ ownerId: ownerIdOf('local'), chatId: chat })
    return run === undefined ? [] : fixture.server.store.approvals.outputsOfRun(run.ownerId, run.id)
  }
  await expect.poll(async () => (await pending()).length).toBe(1)
  const [request] = await pending()
  await sendJson(`${fixture.url}/api/outputs/${request?.id}`, { output: 'Oslo' })
  await expect.poll(async () => (await loadAnswer(fixture.url)).metadata?.status).toBe('finished')
  expect(toolResultsOf(model, 'worker')).toContain('Oslo')
})

test('an output is refused in a wrong form, for a wrong request, and when it is too large', async () => {
  await using fixture = await clientToolServer({ limits: { maxToolOutputBytes: 1_000 } })
  await (await ask(fixture.url)).text()
  const { requestId } = await waitingCall(fixture.url)
  const give = async (body: object, id = requestId) => {
    const response = await sendJson(`${fixture.url}/api/outputs/${id}`, body)
    return [response.status, response.ok ? '' : (await problemOf(response)).code]
  }
  expect(await give({})).toEqual([400, 'invalid-body'])
  expect(await give({ output: 1, errorText: 'both' })).toEqual([400, 'invalid-body'])
  expect(await give({ output: 1 }, 'call_0')).toEqual([404, 'output-request-not-found'])
  expect(await give({ output: 'x'.repeat(2_000) })).toEqual([413, 'output-too-large'])
  expect(await give({ output: null })).toEqual([200, ''])
  expect(await give({ output: null })).toEqual([200, ''])
  expect(await give({ errorText: 'No.' })).toEqual([409, 'output-not-waiting'])
})
