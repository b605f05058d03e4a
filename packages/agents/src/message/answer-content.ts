import { type Chunk, isToolPart, type Message, picturesIn, type ToolError } from '@throughline/protocol'
import { shorten } from '@throughline/protocol/internal'
import type { AgentEvent, MessageEnd } from '../agent/agent-event.ts'

/** How much of an error is repeated in the metadata. The tool call has all of it. */
const maxErrorChars = 500

/** Finds out whether an answer says anything, and which tool failed last. */
export class AnswerContent {
  #hasText = false
  #hasFile = false
  #lastToolError: ToolError | undefined

  /**
   * True while the answer has no text (white space does not count), no file, and no picture of a tool. Reasoning, other
   * outputs of tools and the messages of sub-agents do not count.
   */
  get isEmpty(): boolean {
    return !this.#hasText && !this.#hasFile
  }

  /** The last tool call that failed, unless the same tool has succeeded since. */
  get lastToolError(): ToolError | undefined {
    return this.#lastToolError
  }

  /** Adds what the answer said before its process died. */
  addMessage({ parts }: Pick<Message, 'parts'>): void {
    for (const part of parts) {
      if (part.type === 'text') this.addText(part.text)
      if (part.type === 'file') this.#hasFile = true
      if (isToolPart(part) && part.state === 'output-available')
        this.#hasFile ||= picturesIn(part.output).length > 0
    }
  }

  addText(text: string): void {
    this.#hasText ||= /\S/.test(text)
  }

  add(event: AgentEvent | MessageEnd, chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      if (chunk.type === 'text-delta') this.addText(chunk.delta)
      if (chunk.type === 'file') this.#hasFile = true
      if (!('toolName' in event)) continue
      const { toolName } = event
      if (chunk.type === 'tool-output-error' || chunk.type === 'tool-input-error')
        this.#lastToolError = { toolName, errorText: shorten(chunk.errorText, maxErrorChars) }
      if (chunk.type !== 'tool-output-available') continue
      this.#hasFile ||= picturesIn(chunk.output).length > 0
      if (this.#lastToolError?.toolName === toolName) this.#lastToolError = undefined
    }
  }
}

/** Returns the end of an answer that has finished but says nothing. */
export function emptyEnd({
  lastToolError,
}: AnswerContent): Pick<MessageEnd, 'text' | 'isEmpty' | 'lastToolError'> {
  const why =
    lastToolError === undefined
      ? ''
      : ` The last tool error (${lastToolError.toolName}): ${lastToolError.errorText}`
  return { isEmpty: true, lastToolError, text: `The agent ended without saying anything.${why}` }
}
