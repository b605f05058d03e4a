import type { Chunk } from '@throughline/protocol/chunk'
import type { ToolError } from '@throughline/protocol/metadata'
import { picturesIn } from '@throughline/protocol/pictures-in'
import { shorten } from '@throughline/protocol/shorten'
import type { AgentEvent, MessageEnd } from '../agent-event.ts'

/** How much of an error is repeated in the metadata. All of it stands with the tool call. */
const maxErrorChars = 500

/** Whether an answer says anything, and which tool failed last if it does not. */
export class AnswerContent {
  #hasText = false
  #hasFile = false
  #lastToolError: ToolError | undefined

  /**
   * Whether there is neither text with something to read in it, nor a file, nor a picture of a tool. Reasoning, what else
   * tools return, and sub-agents are work, not an answer.
   */
  get isEmpty(): boolean {
    return !this.#hasText && !this.#hasFile
  }

  /** The last tool call that failed, unless the same tool has succeeded since. */
  get lastToolError(): ToolError | undefined {
    return this.#lastToolError
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

/** How an answer ends that finished and says nothing. */
export function emptyEnd({
  lastToolError,
}: AnswerContent): Pick<MessageEnd, 'text' | 'isEmpty' | 'lastToolError'> {
  const why =
    lastToolError === undefined
      ? ''
      : ` The last tool error (${lastToolError.toolName}): ${lastToolError.errorText}`
  return { isEmpty: true, lastToolError, text: `The agent ended without saying anything.${why}` }
}
