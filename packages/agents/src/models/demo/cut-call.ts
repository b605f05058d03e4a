import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { continueRequests } from '@throughline/protocol/internal'
import { goOnNote } from '../../go-on-note.ts'
import type { DemoBeat } from './demo-beat.ts'

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
  if (answer?.role !== 'assistant' || note === undefined || !asksToGoOn(textIn(note)))
    return { call, said: '' }
  // What is cut off here may itself have gone on with an answer that was cut off.
  const before = cutCallOf({ ...call, prompt: prompt.slice(0, -2) })
  return { ...before, said: before.said + textIn(answer) }
}

function asksToGoOn(text: string): boolean {
  const requests: readonly string[] = [goOnNote, ...Object.values(continueRequests)]
  return requests.includes(text)
}

/** Returns the rest of a script whose first words were said before. */
export function beatsAfter(beats: readonly DemoBeat[], said: string): readonly DemoBeat[] {
  const [beat, ...rest] = beats
  if (beat === undefined || said === '') return beats
  if (beat.type === 'reasoning') return beatsAfter(rest, said)
  if (beat.type !== 'text') return beats
  if (said.startsWith(beat.text)) return beatsAfter(rest, said.slice(beat.text.length))
  return beat.text.startsWith(said) ? [{ ...beat, text: beat.text.slice(said.length) }, ...rest] : beats
}

function textIn({ role, content }: LanguageModelV4Message): string {
  if (role === 'system') return ''
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
