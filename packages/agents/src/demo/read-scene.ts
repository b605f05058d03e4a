import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { continueRequests } from '@throughline/protocol/internal'
import { goOnNote } from '../ai-sdk/request-messages.ts'
import { demoChinese } from './chinese.ts'
import { type DemoLanguage, demoEnglish } from './english.ts'
import type { SeededRandom } from './seeded-random.ts'

/** What a script needs to know about one model call. */
export type DemoScene = {
  /** The text of the last user message. */
  readonly question: string
  /** The language in which to answer. */
  readonly language: DemoLanguage
  readonly fileCount: number
  /** How many model calls there have been since that message. */
  readonly stage: number
  /** The results of tools since that message, in order. */
  readonly results: readonly DemoToolResult[]
  readonly toolNames: ReadonlySet<string>
  /** The name of the demo agent that the model plays; `undefined` when it plays the master. */
  readonly plays: string | undefined
  /** The names of the agents that it may ask. */
  readonly agentNames: ReadonlySet<string>
  /** The address of the demo page with its form. */
  readonly pageUrl: string | undefined
  /** For what is made up. It depends on the prompt. */
  readonly random: SeededRandom
}

export type DemoToolResult =
  | { readonly status: 'succeeded'; readonly toolName: string; readonly value: unknown }
  | { readonly status: 'failed'; readonly toolName: string; readonly reason: string }

export function readScene(
  { prompt, tools, toolChoice }: LanguageModelV4CallOptions,
  random: SeededRandom,
): DemoScene {
  const start = prompt.findLastIndex(message => message.role === 'user')
  const asked = prompt[start]
  const parts = asked?.role === 'user' ? asked.content : []
  const question = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
  const since = prompt.slice(start + 1)
  const instructions = prompt.flatMap(each => (each.role === 'system' ? [each.content] : [])).join('\n')
  return {
    question,
    random,
    language: isChinese(question) ? demoChinese : demoEnglish,
    fileCount: parts.filter(part => part.type === 'file').length,
    stage: since.filter(message => message.role === 'assistant').length,
    results: since.flatMap(resultsIn),
    toolNames: new Set(toolChoice?.type === 'none' ? [] : tools?.map(tool => tool.name)),
    plays: playedBy(instructions),
    agentNames: new Set(Array.from(instructions.matchAll(/^- ([\w.:-]+): /gm), ([, name = '']) => name)),
    pageUrl: /^The demo page is (http\S+)$/m.exec(instructions)?.[1],
  }
}

/** Returns a line for the instructions that tells the demo model which agent it plays. */
export function demoAgentLine(name: string): string {
  return `You are the demo agent ${name}.`
}

/** Returns a line for the master's instructions that tells the demo model the address of its page. */
export function demoPageLine(url: string): string {
  return `The demo page is ${url}`
}

function playedBy(instructions: string): string | undefined {
  return /^You are the demo agent ([\w-]+)\.$/m.exec(instructions)?.[1]
}

/**
 * Returns all texts of the prompt, in order. The seed and the word count depend on them. The address of the demo page is
 * left out: it changes with every start, and an answer that goes on after a restart must stay the same.
 */
export function promptText(prompt: LanguageModelV4Prompt): string {
  return prompt
    .map(messageText)
    .join('\n')
    .replace(/^The demo page is http\S+$/m, '')
}

function messageText(message: LanguageModelV4Message): string {
  if (message.role === 'system') return message.content
  const texts: string[] = []
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'reasoning') texts.push(part.text)
    else if (part.type === 'tool-call') texts.push(`${part.toolName} ${JSON.stringify(part.input)}`)
    else if (part.type === 'tool-result') texts.push(JSON.stringify(part.output))
  }
  return texts.join('\n')
}

function resultsIn(message: LanguageModelV4Message): DemoToolResult[] {
  if (message.role !== 'tool' && message.role !== 'assistant') return []
  const results: DemoToolResult[] = []
  for (const part of message.content) if (part.type === 'tool-result') results.push(readResult(part))
  return results
}

type ToolResultPart = Extract<
  Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>

function readResult({ toolName, output }: ToolResultPart): DemoToolResult {
  switch (output.type) {
    case 'text':
    case 'json':
      return { status: 'succeeded', toolName, value: output.value }
    case 'content':
      return {
        status: 'succeeded',
        toolName,
        value: output.value.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n'),
      }
    case 'error-text':
      return { status: 'failed', toolName, reason: output.value }
    case 'error-json':
      return { status: 'failed', toolName, reason: JSON.stringify(output.value) }
    case 'execution-denied':
      return {
        status: 'failed',
        toolName,
        reason: `the call was denied: ${output.reason ?? 'no reason given'}`,
      }
  }
  return output satisfies never
}

/** Returns whether to answer in Chinese. An English question may contain the name of a Chinese city. */
function isChinese(text: string): boolean {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return false
  const characters = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const latinWords = text.match(/\p{Script=Latin}+/gu)?.length ?? 0
  return characters > latinWords
}

/** A model call that goes on with an answer which was cut off. */
export interface CutCall {
  /** The call as it was before its answer was cut off. */
  readonly call: LanguageModelV4CallOptions
  /** What the answer said by then. Empty for a call that was not cut off. */
  readonly said: string
}

/** Returns the call that was cut off, if a note of the server, or a person, asks the model to go on; otherwise the call itself. */
export function cutCallOf(call: LanguageModelV4CallOptions): CutCall {
  const { prompt } = call
  const [answer, note] = prompt.slice(-2)
  if (answer?.role !== 'assistant' || note === undefined || !asksToGoOn(saidIn(note)))
    return { call, said: '' }
  // What is cut off here may itself have gone on with an answer that was cut off.
  const before = cutCallOf({ ...call, prompt: prompt.slice(0, -2) })
  return { ...before, said: before.said + saidIn(answer) }
}

function asksToGoOn(text: string): boolean {
  const requests: readonly string[] = [goOnNote, ...Object.values(continueRequests)]
  return requests.includes(text)
}

function saidIn({ role, content }: LanguageModelV4Message): string {
  if (role === 'system') return ''
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
