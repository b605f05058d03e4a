import { readFile } from 'node:fs/promises'
import { remoteAgent } from '@throughline/agents'
import { encodeSse } from '@throughline/protocol'
import { startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { expect, test } from 'vitest'
import { answerAfter, answerOf, answerStoppedAfter, linesOf, startSseService } from './remote-service.ts'

const recordings = new URL('../../../testing/src/provider/recordings/', import.meta.url)

/** Returns the SSE events of recorded completions, one after the other, as a service sends them that runs its tools. */
async function completions(...names: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(
    names.map(name => readFile(new URL(`openai-chat.${name}.jsonl`, recordings), 'utf8')),
  )
  return texts.flatMap(text => text.trim().split('\n')).map(data => encodeSse({ data }))
}

const done = encodeSse({ data: '[DONE]' })

function agentAt({ url }: { readonly url: string }) {
  return remoteAgent({
    name: 'support',
    displayName: 'Support',
    url,
    form: 'openai',
    body: { model: 'gpt-recorded' },
  })
}

const unsaid = '"The service does not say what this tool returned."'

test('text, a tool and text of an OpenAI-style service are shown in order, with their usage', async () => {
  const events = await completions('text-tool-text.1', 'text-tool-text.2')
  await using service = await startSseService([...events, done])
  const answer = await answerOf(agentAt(service))
  expect(linesOf(answer)).toEqual([
    'Let me look up the weather in Lisbon.',
    `weather {"city":"Lisbon"} -> ${unsaid}`,
    'It is 21 °C and sunny in Lisbon 🌞.',
  ])
  expect(answer.metadata).toMatchObject({ status: 'finished', finishReason: 'stop' })
  expect(answer.metadata?.usage?.byModel?.['support:gpt-recorded']).toMatchObject({ calls: 2 })
  expect(service.requests[0]?.body).toEqual({
    model: 'gpt-recorded',
    messages: [{ role: 'user', content: 'How is the weather?' }],
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('parallel tools of an OpenAI-style service are shown', async () => {
  const events = await completions('parallel-tools.1', 'parallel-tools.2')
  await using service = await startSseService([...events, done])
  const lines = linesOf(await answerOf(agentAt(service)))
  expect(lines.filter(line => line.endsWith(unsaid))).toEqual([
    `weather {"city":"Lisbon"} -> ${unsaid}`,
    `calculator {"expression":"6*7"} -> ${unsaid}`,
  ])
})

test('the reasoning of an OpenAI-style service is shown', async () => {
  const events = await completions('reasoning-tool-text.1', 'reasoning-tool-text.2')
  await using service = await startSseService([...events, done])
  const [first] = linesOf(await answerOf(agentAt(service)))
  expect(first).toMatch(/^\(They want the weather;/)
})

test('a service that wants its caller to run tools ends the answer with words that say so', async () => {
  await using provider = await startRecordedProvider([
    { type: 'recording', name: 'openai-chat.text-tool-text.1', style: 'openai' },
  ])
  const answer = await answerOf(agentAt(provider))
  const statusText =
    'The service of Support wants its caller to run tools (weather). Let the service run its tools itself.'
  expect(linesOf(answer)).toEqual([
    'Let me look up the weather in Lisbon.',
    `weather {"city":"Lisbon"} -> Interrupted: ${statusText}`,
  ])
  expect(answer.metadata).toMatchObject({ status: 'failed', statusText })
})

test('an error in the stream ends the answer as failed: its code is shown, its message is not', async () => {
  const [first = '', second = '', third = ''] = await completions('text-tool-text.2')
  const error = { message: 'The key sk-very-secret is wrong.', code: 'invalid_api_key' }
  await using service = await startSseService([
    first,
    second,
    third,
    encodeSse({ data: JSON.stringify({ error }) }),
  ])
  const answer = await answerOf(agentAt(service))
  expect(linesOf(answer).join('')).toMatch(/^It/)
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText: 'The service of Support reported an error: invalid_api_key.',
  })
})

test('a stop aborts the request to an OpenAI-style service', async () => {
  const events = await completions('text-tool-text.2')
  await using service = await startSseService(events.slice(0, 5), { isHeld: true })
  const answer = await answerStoppedAfter(agentAt(service), 'It')
  await service.left
  expect(answer.metadata).toMatchObject({ status: 'stopped' })
})

test('when an OpenAI-style service is killed in mid-answer, the answer ends named and nothing shown is lost', async () => {
  const events = await completions('text-tool-text.1', 'text-tool-text.2')
  await using service = await startSseService(events.slice(0, -5), { isHeld: true })
  const answer = await answerAfter(agentAt(service), 'It', () => service.kill())
  const [first, second] = linesOf(answer)
  expect([first, second]).toEqual([
    'Let me look up the weather in Lisbon.',
    `weather {"city":"Lisbon"} -> ${unsaid}`,
  ])
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText: 'The service of Support ended in mid-answer. What it said so far is kept; try again.',
  })
})
