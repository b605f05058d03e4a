import { type Agent, askOutput } from '@throughline/agents'
import { awaitedOutputs } from '@throughline/protocol'
import { loadAnswer, sendJson } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { startChat } from '../fake-terminal.ts'
import { startProgram } from '../start-program.ts'

const prompt = '\nYou › '
const field = 'Your answer: '
const call = { toolCallId: 'q', toolName: 'question', input: { question: 'How many?' } }

const asker: Agent = {
  name: 'asker',
  displayName: 'The asker',
  async *run() {
    yield { type: 'tool-call', ...call }
    const output = await askOutput({ ...call, from: 'person' }).catch(error => error.message)
    yield { type: 'tool-result', ...call, output }
    yield { type: 'text-delta', text: `So ${JSON.stringify(output)}.` }
    yield { type: 'finish', finishReason: 'stop' }
  },
}

test('a question of an agent is answered with a line', async () => {
  await using server = await startTestServer({ agents: [asker] })
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Buy bread')
  expect(await chat.until(field)).toContain('? How many?\n')
  chat.enter('  ')
  await chat.until(field)
  chat.enter('Three ')
  expect(await chat.until(prompt)).toContain('So "Three".')
})

test('a question that is answered elsewhere is taken back', async () => {
  await using server = await startTestServer({ agents: [asker] })
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Buy bread')
  await chat.until(field)
  const [awaited] = awaitedOutputs(await loadAnswer(server.url))
  await sendJson(`${server.url}/api/outputs/${awaited?.requestId}`, { output: 5 })
  expect(await chat.until(prompt)).toContain('So 5.')
})

test('without a terminal nobody is waited for', async () => {
  await using server = await startTestServer({ agents: [asker] })
  const { code, output, errors } = await startProgram(['chat', '--url', server.url, 'Buy bread']).ended
  expect({ code, errors }).toEqual({ code: 0, errors: 'How many?: nobody is here to answer this.\n' })
  expect(output).toContain('So "Nobody is there to answer.".')
})
