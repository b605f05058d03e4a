import { abortableStream } from '@throughline/agents/testing'
import { MockLanguageModelV4 } from 'ai/test'

type Prompt = Parameters<MockLanguageModelV4['doStream']>[0]['prompt']
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

export interface CrashModelOptions {
  /** The model of a scenario that hangs never ends its call. */
  readonly isHanging: boolean
  readonly onPrompt: (prompt: Prompt) => void
}

/** What the model does in a call: its parts, and whether it hangs after them. */
interface Turn {
  readonly parts: readonly StreamPart[]
  readonly hangs?: boolean
}

/**
 * In each scenario the process can be killed at another moment of an answer. The user's question names the scenario. So does
 * the task of a sub-agent.
 */
export type CrashScenario =
  | 'text'
  | 'reasoning'
  | 'input'
  | 'pay'
  | 'look'
  | 'write'
  | 'remove'
  | 'ask'
  | 'ask-loner'
  | 'nest'
  | 'last'
  | 'silent'

/** Returns a model that can be cut off in the middle of everything, and goes on when it is called again. */
export function crashModel({ isHanging, onPrompt }: CrashModelOptions): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: 'test',
    modelId: 'crash',
    doStream: async ({ prompt, abortSignal }) => {
      onPrompt(prompt)
      const turn = turnFor(prompt, isHanging)
      return { stream: abortableStream(() => play(turn, isHanging), abortSignal) }
    },
  })
}

async function* play({ parts, hangs = false }: Turn, isHanging: boolean): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield* parts
  if (hangs && isHanging) await new Promise(() => undefined)
  const unified = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
  yield {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
  }
}

function turnFor(prompt: Prompt, isHanging: boolean): Turn {
  const isFirst = !prompt.some(({ role }) => role === 'assistant' || role === 'tool')
  // A call that left nothing behind looks like the first one. It must not be cut off for ever.
  if (isFirst) return firstTurn(questionIn(prompt), isHanging)
  const results = prompt.flatMap(message => (message.role === 'tool' ? message.content : []))
  const said = results.length === 0 ? 'And so on.' : `The tool said: ${JSON.stringify(results)}`
  return { parts: text(said), hangs: questionIn(prompt) === 'write' }
}

function firstTurn(scenario: string, isHanging: boolean): Turn {
  switch (scenario) {
    case 'text':
      return { parts: text('One. Two. '), hangs: true }
    case 'reasoning':
      return isHanging
        ? { parts: reasoning('I think about it'), hangs: true }
        : { parts: text('Thought anew.') }
    case 'input':
      return { parts: [...text('Let me see. '), ...halfInput], hangs: true }
    case 'ask':
      return { parts: call('subAgent', { name: 'worker', task: 'Work.' }) }
    case 'ask-loner':
      return { parts: call('subAgent', { name: 'loner', task: 'Work.' }) }
    case 'nest':
      return { parts: call('subAgent', { name: 'lead', task: 'Lead.' }) }
    case 'Lead.':
      return { parts: call('subAgent', { name: 'worker', task: 'remove' }) }
    case 'Work.':
      return { parts: text('I work so far. '), hangs: true }
    case 'last':
      return { parts: text('All of it.') }
    case 'silent':
      return { parts: [], hangs: true }
    default:
      return { parts: call(scenario, { text: 'it' }) }
  }
}

function questionIn(prompt: Prompt): string {
  const user = prompt.find(({ role }) => role === 'user')
  const [part] = user?.role === 'user' ? user.content : []
  return part?.type === 'text' ? part.text : ''
}

function text(delta: string): readonly StreamPart[] {
  return [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta },
    // Not the end of the text: a text that is cut off has none.
  ]
}

function reasoning(delta: string): readonly StreamPart[] {
  return [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta },
  ]
}

const halfInput: readonly StreamPart[] = [
  { type: 'tool-input-start', id: 'half', toolName: 'pay' },
  { type: 'tool-input-delta', id: 'half', delta: '{"te' },
]

function call(toolName: string, input: unknown): readonly StreamPart[] {
  return [{ type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) }]
}
