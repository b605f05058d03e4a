import type { AgentEvent } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { type CallPiece, type ContentPiece, callPiecesIn, piecesIn } from './message-fields.ts'

/** One call of a model. Turns the chunks that it streams into events. */
export class ModelCall {
  /** The model's name as usage and prices have it: `provider:model`. */
  readonly model: string | undefined
  /** All text of the model so far. */
  said = ''
  readonly #text = new ShownOnce()
  /** The ids of the tool calls that have begun to stream, by their index. */
  readonly #callIds = new Map<unknown, string>()
  #hasStreamed = false

  constructor(model: string | undefined) {
    this.model = model
  }

  /** True when nothing was streamed. Then everything is in the message at the end. */
  get isSilent(): boolean {
    return !this.#hasStreamed
  }

  take(message: unknown): readonly AgentEvent[] {
    const events = [
      ...piecesIn(message).flatMap(piece => this.#content(piece)),
      ...callPiecesIn(message).flatMap(piece => this.#callPiece(piece)),
    ]
    this.#hasStreamed ||= events.length > 0
    return events
  }

  /** Call this when something else comes. Returns the text that was held back. */
  pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }

  #content(piece: ContentPiece): readonly AgentEvent[] {
    switch (piece.type) {
      case 'text':
        this.said += piece.text
        this.#hasStreamed = true
        return textEvents(this.#text.take(piece.text))
      case 'reasoning':
        return [...this.pause(), { type: 'reasoning-delta', text: piece.text }]
      case 'file': {
        const { mediaType, data } = piece
        const url = `data:${mediaType};base64,${data}`
        return [...this.pause(), { type: 'file', chunk: { type: 'file', mediaType, url } }]
      }
    }
  }

  /** The first piece of a call has its id and its name. The others have its index. */
  #callPiece({ id, name, args: text, index }: CallPiece): readonly AgentEvent[] {
    const isNew = id !== undefined && name !== undefined && this.#callIds.get(index) !== id
    if (isNew) this.#callIds.set(index, id)
    const toolCallId = this.#callIds.get(index)
    if (toolCallId === undefined) return []
    const events: AgentEvent[] = isNew
      ? [...this.pause(), { type: 'tool-input-start', toolCallId, toolName: name }]
      : []
    return text === '' ? events : [...events, { type: 'tool-input-delta', toolCallId, text }]
  }
}
