import { setTimeout as pause } from 'node:timers/promises'
import { abortableStream, goOnNote } from '@throughline/agents/testing'
import { MockLanguageModelV4 } from 'ai/test'

type Prompt = Parameters<MockLanguageModelV4['doStream']>[0]['prompt']
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

/** One thing that an answer contains. */
export type PlannedItem =
  | { readonly type: 'say'; readonly text: string }
  /** No two calls of a plan have the same input: the input tells the model whether the call was made. */
  | { readonly type: 'call'; readonly toolName: string; readonly input: unknown }

/** Everything that an answer contains, in order. */
export interface AnswerPlan {
  readonly items: readonly PlannedItem[]
  /** Between two words. */
  readonly pauseMs: number
}

/**
 * Returns a model that writes answers by a plan. `planOf` gets the name of the agent and the question. Instructions must
 * begin with `You are <name>.` The model reads from the prompt how far its answer has come, and goes on there. So an
 * answer that ends says exactly what its plan says, however often its process died.
 */
export function plannedModel(planOf: (agent: string, question: string) => AnswerPlan): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: 'test',
    modelId: 'planned',
    doStream: async ({ prompt, abortSignal }) => {
      const asked = prompt.findLastIndex(message => message.role === 'user' && textIn(message) !== goOnNote)
      const question = prompt[asked]
      const plan = planOf(nameIn(prompt), question === undefined ? '' : textIn(question))
      const left = leftOf(plan, prompt.slice(asked + 1))
      return { stream: abortableStream(() => play(left, plan), abortSignal) }
    },
  })
}

/** Returns what the next model call does: the text up to the next tool calls, and these calls. */
function leftOf({ items }: AnswerPlan, answer: Prompt): readonly PlannedItem[] {
  let saidLength = answer
    .map(message => (message.role === 'assistant' ? textIn(message) : ''))
    .join('').length
  const called = new Set(answer.flatMap(inputsIn))
  const left: PlannedItem[] = []
  for (const item of items) {
    if (item.type === 'say') {
      if (left.at(-1)?.type === 'call') return left
      const text = item.text.slice(saidLength)
      saidLength = Math.max(0, saidLength - item.text.length)
      if (text !== '') left.push({ type: 'say', text })
    } else if (!called.has(JSON.stringify(item.input))) left.push(item)
  }
  return left
}

async function* play(items: readonly PlannedItem[], { pauseMs }: AnswerPlan): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  for (const [index, item] of items.entries()) {
    if (item.type === 'say') yield* say(item.text, { id: String(index), pauseMs })
    else yield callPart(item, index)
  }
  const unified = items.at(-1)?.type === 'call' ? 'tool-calls' : 'stop'
  yield { type: 'finish', finishReason: { unified, raw: unified }, usage: usagePerCall }
}

async function* say(
  text: string,
  { id, pauseMs }: { readonly id: string; readonly pauseMs: number },
): AsyncGenerator<StreamPart> {
  yield { type: 'text-start', id }
  for (const delta of text.split(/(?<= )/)) {
    await pause(pauseMs)
    yield { type: 'text-delta', id, delta }
  }
  yield { type: 'text-end', id }
}

let lastCall = 0

/** The id is new in every process: providers do not give a call that was forgotten its old id again. */
function callPart({ toolName, input }: Extract<PlannedItem, { type: 'call' }>, index: number): StreamPart {
  lastCall += 1
  const toolCallId = `call-${process.pid}-${lastCall}-${index}`
  return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }
}

function nameIn([system]: Prompt): string {
  const text = system?.role === 'system' ? system.content : ''
  return /^You are ([\w-]+)\./.exec(text)?.[1] ?? ''
}

function textIn({ content }: Prompt[number]): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function inputsIn(message: Prompt[number]): readonly string[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap(part => (part.type === 'tool-call' ? [JSON.stringify(part.input)] : []))
}

const usagePerCall = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
