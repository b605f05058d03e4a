import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { countWords, splitWords } from './demo-words.ts'
import type { DemoAction } from './script.ts'
import type { SeededRandom } from './seeded-random.ts'

export type Playback = {
  readonly random: SeededRandom
  readonly inputWords: number
  /** Is called before each piece, with the number of its words. A rejection stops the stream. */
  readonly pace: (words: number) => Promise<void>
}

// All texts of all calls have one id, and a text stays open until the call ends, also across tool calls. Providers with the
// chat completions interface do the same, and readers have to cope with it.
const textId = '0'

/** Turns actions into the parts that a provider would stream. */
export async function* playActions(
  actions: readonly DemoAction[],
  playback: Playback,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'response-metadata', modelId: 'demo' }
  let isTextOpen = false
  for (const [index, action] of actions.entries()) {
    if (action.type === 'text' && !isTextOpen) {
      isTextOpen = true
      yield { type: 'text-start', id: textId }
    }
    yield* playAction(action, index, playback)
  }
  if (isTextOpen) yield { type: 'text-end', id: textId }
  yield {
    type: 'finish',
    finishReason: finishReasonOf(actions),
    usage: usageOf(actions, playback.inputWords),
  }
}

async function* playAction(
  action: DemoAction,
  index: number,
  playback: Playback,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  switch (action.type) {
    case 'text':
      for await (const delta of pieces(action.text, playback)) yield { type: 'text-delta', id: textId, delta }
      return
    case 'reasoning': {
      const id = `reasoning-${index}`
      yield { type: 'reasoning-start', id }
      for await (const delta of pieces(action.text, playback)) yield { type: 'reasoning-delta', id, delta }
      yield { type: 'reasoning-end', id }
      return
    }
    case 'tool-call':
      yield* playToolCall(action, playback)
      return
    case 'source':
      yield { type: 'source', sourceType: 'url', id: `source-${index}`, url: action.url, title: action.title }
      return
    case 'failure':
      await playback.pace(1)
      yield { type: 'error', error: new DemoModelError(action.message) }
      return
  }
  action satisfies never
}

async function* playToolCall(
  { toolName, input }: Extract<DemoAction, { type: 'tool-call' }>,
  playback: Playback,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  // The seed depends on the prompt, so a later question in a chat gets other ids.
  const id = `demo-call-${randomId(playback.random)}`
  const json = JSON.stringify(input)
  yield { type: 'tool-input-start', id, toolName }
  for (const delta of slices(json, playback.random)) {
    await playback.pace(1)
    yield { type: 'tool-input-delta', id, delta }
  }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName, input: json }
}

/** Cuts a text into pieces of one to three words, like the tokens of a model. */
async function* pieces(text: string, { random, pace }: Playback): AsyncGenerator<string, void> {
  const words = splitWords(text)
  for (let index = 0; index < words.length; ) {
    const piece = words.slice(index, index + 1 + random.below(3))
    await pace(piece.length)
    yield piece.join('')
    index += piece.length
  }
}

/** Cuts JSON anywhere, as a tokenizer might, but never inside a character. */
function slices(json: string, random: SeededRandom): readonly string[] {
  const characters = Array.from(json)
  const cut: string[] = []
  for (let index = 0; index < characters.length; ) {
    const end = index + 2 + random.below(5)
    cut.push(characters.slice(index, end).join(''))
    index = end
  }
  return cut
}

function randomId(random: SeededRandom): string {
  return Array.from({ length: 12 }, () => random.below(36).toString(36)).join('')
}

function finishReasonOf(actions: readonly DemoAction[]): LanguageModelV4FinishReason {
  if (actions.some(action => action.type === 'failure')) return { unified: 'error', raw: undefined }
  if (actions.some(action => action.type === 'tool-call')) return { unified: 'tool-calls', raw: 'tool_calls' }
  return { unified: 'stop', raw: 'stop' }
}

function usageOf(actions: readonly DemoAction[], inputWords: number) {
  let text = 0
  let reasoning = 0
  for (const action of actions) {
    if (action.type === 'text') text += countWords(action.text)
    if (action.type === 'reasoning') reasoning += countWords(action.text)
    if (action.type === 'tool-call') text += countWords(`${action.toolName} ${JSON.stringify(action.input)}`)
  }
  return {
    inputTokens: { total: inputWords, noCache: inputWords, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text + reasoning, text, reasoning },
    raw: { unit: 'words' },
  }
}

/** The error with which the `error` scenario breaks off. */
export class DemoModelError extends Error {
  readonly code = 'broke-off'

  constructor(message: string) {
    super(message)
    this.name = 'DemoModelError'
  }
}
