import type { Agent, AgentEvent, AgentRequest } from '@throughline/agents'

type Events = Iterable<AgentEvent> | AsyncIterable<AgentEvent>

/** What an agent does: fixed events, or a generator that yields events and may wait for the test. */
export type Script = readonly AgentEvent[] | ((request: AgentRequest) => Events)

/** Returns an agent without a model: the test decides what it does, and when. */
export function scriptedAgent(name: string, script: Script): Agent {
  return {
    name,
    displayName: `The ${name}`,
    async *run(request) {
      yield* typeof script === 'function' ? script(request) : script
    },
  }
}

interface Halves {
  readonly before: readonly AgentEvent[]
  readonly after?: readonly AgentEvent[]
}

/** Returns an agent that writes `before`, waits for the test, writes `after` and ends. */
export function heldAgent(
  name: string,
  halves: Halves,
): { readonly agent: Agent; readonly letGo: () => void } {
  const { script, letGo } = heldScript(halves)
  return { agent: scriptedAgent(name, script), letGo }
}

/** Returns the same behaviour as a script, for an agent that does other things in other runs. */
export function heldScript({ before, after = [] }: Halves): {
  readonly script: Script
  readonly letGo: () => void
} {
  const held = Promise.withResolvers<void>()
  async function* script() {
    yield* before
    await held.promise
    yield* after
    yield finish
  }
  return { script, letGo: held.resolve }
}

export const finish: AgentEvent = { type: 'finish', finishReason: 'stop' }

export function say(text: string): AgentEvent {
  return { type: 'text-delta', text }
}

/** Returns the fields that the events of one tool call share. */
export function weatherCall(toolCallId = 'call-1') {
  return { toolCallId, toolName: 'weather', input: { city: 'Lisbon' } }
}

export const textToolText: readonly AgentEvent[] = [
  { type: 'step-start' },
  say('Let me look. '),
  { type: 'tool-input-start', toolCallId: 'call-1', toolName: 'weather' },
  { type: 'tool-input-delta', toolCallId: 'call-1', text: '{"city":"Lis' },
  { type: 'tool-input-delta', toolCallId: 'call-1', text: 'bon"}' },
  { type: 'tool-call', ...weatherCall() },
  { type: 'tool-result', ...weatherCall(), output: { sky: 'clear', degrees: 21 } },
  { type: 'step-end', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
  { type: 'step-start' },
  say('The sky is clear.'),
  { type: 'step-end', usage: { inputTokens: 20, outputTokens: 7, totalTokens: 27 } },
  finish,
]
