import { isRecord } from '@throughline/protocol'
import type { TokenCounts } from '../agent-event.ts'
import { tokenCounts } from '../values/token-counts.ts'

/** What a model has said in one call. */
export interface ModelResponse {
  readonly text: string
  /** What the model says in place of an answer. The SDK does not stream it. */
  readonly refusal: string
  readonly reasoning: string
  readonly counts: TokenCounts | undefined
}

/** Reads the response at the end of a model call. */
export function readResponse(value: unknown): ModelResponse {
  const response = fieldsOf(value)
  const output = recordsIn(response['output'])
  const said = output.filter(({ role }) => role === 'assistant').flatMap(({ content }) => recordsIn(content))
  const thought = output.filter(({ type }) => type === 'reasoning')
  return {
    text: said.map(({ type, text }) => (type === 'output_text' ? textOf(text) : '')).join(''),
    refusal: said.map(({ type, refusal }) => (type === 'refusal' ? textOf(refusal) : '')).join(''),
    reasoning: thought.map(reasoningOf).join('\n\n'),
    counts: readCounts(response['usage']),
  }
}

/** Returns the tokens in a usage of the SDK; `undefined` when there are none. */
export function readCounts(value: unknown): TokenCounts | undefined {
  const usage = fieldsOf(value)
  return tokenCounts({
    input: usage['inputTokens'],
    output: usage['outputTokens'],
    total: usage['totalTokens'],
    reasoning: detail(usage['outputTokensDetails'], 'reasoning_tokens'),
    cached: detail(usage['inputTokensDetails'], 'cached_tokens'),
  })
}

/** The usage of a whole run has a list of details, one for each model call. */
function detail(details: unknown, name: string): number | undefined {
  const counts = [details].flat().flatMap(each => {
    const count = fieldsOf(each)[name]
    return typeof count === 'number' ? [count] : []
  })
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** A summary is for people. Where there is none, the model's own reasoning is shown. */
function reasoningOf({ content, rawContent }: Fields): string {
  const summary = recordsIn(content).map(({ text }) => textOf(text))
  const raw = recordsIn(rawContent).map(({ text }) => textOf(text))
  return (summary.length > 0 ? summary : raw).join('\n\n')
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function recordsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
