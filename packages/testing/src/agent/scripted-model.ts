import { abortableStream } from '@throughline/agents/testing'
import { MockLanguageModelV4 } from 'ai/test'

type CallOptions = Parameters<MockLanguageModelV4['doStream']>[0]
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

/** One thing that a model does in a call. */
export type Beat =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'break'; readonly error: Error }

/** One call of the model: fixed beats, or a generator that yields beats and may wait for the test. */
export type Turn = readonly Beat[] | ((prompt: CallOptions['prompt']) => Iterable<Beat> | AsyncIterable<Beat>)

/** The model calls of each agent, by the agent's name. The agent's instructions must begin with `You are <name>.` */
export type Turns = Readonly<Record<string, readonly Turn[]>>

/** Returns one model for all agents of a run. It reads from the prompt which agent calls it, and for which turn. */
export function scriptedModel(turns: Turns, modelId = 'scripted'): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: 'test',
    modelId,
    doStream: async ({ prompt, abortSignal }) => {
      const turn = turnFor(turns, prompt)
      return { stream: abortableStream(() => partsOf(turn, prompt), abortSignal) }
    },
  })
}

export function saying(text: string): Beat {
  return { type: 'say', text }
}

export function calling(toolName: string, input: unknown, id = `call-${toolName}`): Beat {
  return { type: 'call', id, toolName, input }
}

/** Calls a sub-agent with a task. */
export function asking(name: string, id = `ask-${name}`): Beat {
  return calling('subAgent', { name, task: `A task for ${name}.` }, id)
}

export function breaking(message: string): Beat {
  return { type: 'break', error: new Error(message) }
}

/** Returns all tool results in the prompts of one agent, as JSON. */
export function toolResultsOf(model: MockLanguageModelV4, name: string): string {
  const prompts = model.doStreamCalls.map(({ prompt }) => prompt).filter(prompt => nameIn(prompt) === name)
  return JSON.stringify(prompts.map(prompt => prompt.filter(({ role }) => role === 'tool')))
}

function turnFor(turns: Turns, prompt: CallOptions['prompt']): Turn {
  const name = nameIn(prompt)
  const question = prompt.findLastIndex(({ role }) => role === 'user')
  const step = prompt.slice(question).filter(({ role }) => role === 'assistant').length
  const turn = turns[name]?.[step]
  if (turn === undefined) throw new Error(`There is no turn ${step} for "${name}".`)
  return turn
}

function nameIn([system]: CallOptions['prompt']): string {
  const text = system?.role === 'system' ? system.content : ''
  return /^You are ([^\s.]+)\./.exec(text)?.[1] ?? ''
}

async function* partsOf(turn: Turn, prompt: CallOptions['prompt']): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  let hasCalled = false
  let isOpen = false
  for await (const beat of typeof turn === 'function' ? turn(prompt) : turn) {
    if (beat.type === 'say' && !isOpen) yield { type: 'text-start', id: '0' }
    isOpen ||= beat.type === 'say'
    hasCalled ||= beat.type === 'call'
    yield partOf(beat)
  }
  if (isOpen) yield { type: 'text-end', id: '0' }
  const unified = hasCalled ? 'tool-calls' : 'stop'
  yield { type: 'finish', finishReason: { unified, raw: unified }, usage: usagePerCall }
}

function partOf(beat: Beat): StreamPart {
  switch (beat.type) {
    case 'say':
      return { type: 'text-delta', id: '0', delta: beat.text }
    case 'call':
      return {
        type: 'tool-call',
        toolCallId: beat.id,
        toolName: beat.toolName,
        input: JSON.stringify(beat.input),
      }
    case 'break':
      throw beat.error
  }
}

/** 10 input tokens, 4 of them cached, and 5 output tokens. */
const usagePerCall = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
