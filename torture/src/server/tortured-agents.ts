import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Agent, AgentEvent } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import {
  asking,
  type Beat,
  calling,
  saying,
  scriptedModel,
  type Turns,
} from '@throughline/testing/agent/scripted-model'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import { type Order, orderIn, wordsOf } from './order.ts'

/** Returns the options of a server with the agents of the torture: `script` does what it is told, `master` delegates. */
export function torturedAgents() {
  const options = delegating({
    model: scriptedModel(turns),
    subAgents: [subAgent('reader', { tools: ['note'] }), subAgent('lead', { allowedSubAgents: ['reader'] })],
  })
  return { ...options, agents: [script, ...(options.agents ?? [])] }
}

/** Says numbered words, as many and as fast as the message says, with a tool call in the middle. */
const script: Agent = scriptedAgent('script', async function* ({ messages, signal }) {
  const last = messages.at(-1)
  const order = orderIn(last === undefined ? '' : textOf(last))
  const words = wordsOf(order)
  const middle = Math.floor(words.length / 2)
  yield { type: 'step-start' }
  for (const [index, word] of words.entries()) {
    if (index === middle && order.hasTool) yield* toolCall
    yield say(word)
    if (!signal.aborted) await wait(order)
  }
  yield {
    type: 'step-end',
    usage: { inputTokens: 1, outputTokens: words.length, totalTokens: words.length + 1 },
  }
  yield finish
})

const call = { toolCallId: 'call-1', toolName: 'weather', input: { city: 'Lisbon' } }
const toolCall: readonly AgentEvent[] = [
  { type: 'tool-input-start', toolCallId: 'call-1', toolName: 'weather' },
  { type: 'tool-input-delta', toolCallId: 'call-1', text: '{"city":"Lis' },
  { type: 'tool-input-delta', toolCallId: 'call-1', text: 'bon"}' },
  { type: 'tool-call', ...call },
  { type: 'tool-result', ...call, output: { sky: 'clear', degrees: 21 } },
]

function wait({ pauseMs }: Order): Promise<unknown> {
  return pauseMs > 0 ? pause(pauseMs) : nextTurn()
}

// The master asks two agents at once. One of them asks a third one.
const turns: Turns = {
  master: [
    [saying('I ask. '), asking('reader', 'a'), asking('lead', 'b')],
    () => slowly('All of them have told me what they know. '),
  ],
  reader: [
    [saying('I read. '), calling('note', { text: 'read' }, 'same')],
    () => slowly('I have read all of it. '),
  ],
  lead: [[saying('I lead. '), asking('reader', 'same')], () => slowly('It is led. ')],
}

async function* slowly(text: string): AsyncGenerator<Beat> {
  for (const word of text.split(' ')) {
    await pause(2)
    yield saying(`${word} `)
  }
}
