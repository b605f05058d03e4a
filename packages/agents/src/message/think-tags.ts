import { newTextIn } from '@throughline/protocol/internal'
import type { AgentEvent, MessageEnd, ProviderMetadata } from '../agent/agent-event.ts'
import { beginsPart } from './segment-tool.ts'
import { type Piece, ThinkingSplitter } from './thinking-splitter.ts'
import type { ToolCalls } from './tool-calls.ts'

type TextDelta = Extract<AgentEvent, { type: 'text-delta' }>
type Content = Extract<AgentEvent, { type: 'content' }>

/**
 * Turns what an agent thinks in its text, between `<think>` and `</think>`, into reasoning. All events of one message go
 * through it, in order, whatever kind of agent yields them. So nothing behind the log has to look for tags.
 */
export class ThinkTags {
  #splitter = new ThinkingSplitter()
  /** The text of this step as the agent wrote it, tags included. A snapshot repeats it. */
  #stepText = ''
  /** The metadata of text that is held back. It goes out with the next piece. */
  #metadata: ProviderMetadata | undefined
  /** The text that the next delta continues, when the answer goes on after a crash in the middle of a text. */
  #textSoFar: string

  constructor(textSoFar = '') {
    this.#textSoFar = textSoFar
  }

  /** Returns whether an event can be written as it is, as nearly all can. If not, `split` it. */
  passes(event: AgentEvent | MessageEnd): boolean {
    if (event.type !== 'text-delta' || this.#textSoFar !== '' || this.#metadata !== undefined) return false
    if (!this.#splitter.takeText(event.text)) return false
    this.#stepText += event.text
    return true
  }

  /** Returns the events to write in place of this one. `calls` are the tool calls of the message so far. */
  split(event: AgentEvent | MessageEnd, calls: ToolCalls): readonly (AgentEvent | MessageEnd)[] {
    switch (event.type) {
      case 'text-delta':
        return this.#text(event)
      case 'text-snapshot':
        return this.#text({ type: 'text-delta', text: newTextIn(event.text, this.#stepText) })
      case 'content':
        return this.#content(event)
      default:
        return endsText(event, calls) ? this.#other(event) : [event]
    }
  }

  #text(event: TextDelta): readonly AgentEvent[] {
    const { text, providerMetadata = this.#metadata } = event
    if (this.#textSoFar !== '') this.#splitter.goOnAfter(this.#textSoFar)
    this.#textSoFar = ''
    this.#stepText += text
    const pieces = this.#splitter.take(text)
    if (pieces.length === 0 && text !== '') {
      this.#metadata = providerMetadata
      return []
    }
    this.#metadata = undefined
    return eventsOf(pieces, providerMetadata)
  }

  #content({ text, ...others }: Content): readonly AgentEvent[] {
    const said = text ? { type: 'text-delta' as const, text } : undefined
    const before = others.reasoning || others.toolCalls ? [...this.#pause(), others] : []
    return said === undefined ? before : [...before, ...this.#text(said)]
  }

  #other(event: AgentEvent | MessageEnd): readonly (AgentEvent | MessageEnd)[] {
    const rest = this.#pause()
    switch (event.type) {
      case 'step-start':
        this.#stepText = ''
        this.#splitter = new ThinkingSplitter()
        break
      case 'step-end':
        this.#splitter = new ThinkingSplitter()
        break
      // The agent may be asked once more. Then it begins from the start.
      case 'finish':
      case 'error':
        this.#splitter = new ThinkingSplitter()
        this.#textSoFar = ''
        break
      default:
        this.#textSoFar = ''
    }
    return rest.length === 0 ? [event] : [...rest, event]
  }

  /** Returns the text that was held back: it is no tag. */
  #pause(): readonly AgentEvent[] {
    const events = eventsOf(this.#splitter.pause(), this.#metadata)
    this.#metadata = undefined
    return events
  }
}

/** Returns whether the next text is a part of its own. The progress and the result of a call change a part that is there. */
function endsText(event: AgentEvent | MessageEnd, calls: ToolCalls): boolean {
  if (event.type === 'ui-event') return false
  return 'toolCallId' in event ? beginsPart(calls, event) : true
}

/** Puts the metadata on the last piece. Without a piece, it goes out with an empty text. */
function eventsOf(
  pieces: readonly Piece[],
  providerMetadata: ProviderMetadata | undefined,
): readonly AgentEvent[] {
  const last = pieces.length - 1
  if (last === -1)
    return providerMetadata === undefined ? [] : [{ type: 'text-delta', text: '', providerMetadata }]
  return pieces.map(({ type, text }, index) => ({
    type: `${type}-delta` as const,
    text,
    providerMetadata: index === last ? providerMetadata : undefined,
  }))
}
