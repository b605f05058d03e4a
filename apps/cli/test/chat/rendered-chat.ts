import {
  allVersions,
  branchOf,
  type ChatState,
  type Chunk,
  chatFrom,
  emptyChat,
  type MessageMetadata,
  messagesOf,
} from '@throughline/protocol'
import { foldChunks } from '@throughline/testing/log/entries-of'
import { afterTyping, nothingShown, renderChat, type Shown, type View } from '../../src/chat/render-chat.ts'
import { painter } from '../../src/text/look.ts'

// Test only: a chat that grows chunk by chunk, and a screen that is updated after each chunk.

export const plainView: View = { agents: [], paint: painter(false), columns: 80 }

export class RenderedChat {
  readonly #view: View
  #chat: ChatState = emptyChat()
  #shown: Shown = nothingShown
  screen = ''

  constructor(view: Partial<View> = {}) {
    this.#view = { ...plainView, ...view }
  }

  /** Folds the chunks into a message, one by one, and shows the chat after each. Returns what was printed. */
  add(messageId: string, ...chunks: readonly Chunk[]): string {
    return chunks
      .map(chunk => {
        this.#chat = foldChunks(this.#chat, [chunk], messageId)
        return this.show()
      })
      .join('')
  }

  /** Folds all chunks, and shows the chat once after the last. */
  addAtOnce(messageId: string, ...chunks: readonly Chunk[]): string {
    this.#chat = foldChunks(this.#chat, chunks, messageId)
    return this.show()
  }

  /** Loads the chat again, as from the server. */
  reload(): string {
    this.#chat = chatFrom(JSON.parse(JSON.stringify(messagesOf(this.#chat))), this.#chat.seq)
    return this.show()
  }

  /** Empties the chat, as when somebody has deleted it. */
  empty(): string {
    this.#chat = emptyChat()
    return this.show()
  }

  /** The same chat on a new screen. */
  onNewScreen(): RenderedChat {
    const other = new RenderedChat(this.#view)
    other.#chat = this.#chat
    other.show()
    return other
  }

  type(text: string): void {
    this.screen += `> ${text}\n`
    this.#shown = afterTyping(this.#shown, text)
  }

  /** Ends the line, as a note on the error output does. */
  breakLine(): void {
    this.screen += '\n'
    this.#shown = { ...this.#shown, cursor: 'start' }
  }

  show(): string {
    const all = messagesOf(this.#chat)
    const snapshot = { messages: branchOf(all), versions: allVersions(all) }
    const { printed, text } = renderChat(this.#shown, snapshot, this.#view)
    this.#shown = printed
    this.screen += text
    return text
  }
}

export function starts(metadata: MessageMetadata = {}): Chunk {
  return { type: 'start', messageMetadata: { senderName: 'Ann', status: 'streaming', ...metadata } }
}

/** A sub-agent's message begins. */
export function startsFor(messageId: string, toolCallId: string, senderName: string): Chunk {
  return starts({ senderName, parent: { messageId, toolCallId } })
}

export function ends(metadata: MessageMetadata = {}): Chunk {
  return { type: 'finish', messageMetadata: { status: 'finished', ...metadata } }
}

export function textStarts(id = 'text'): Chunk {
  return { type: 'text-start', id }
}

export function textGoesOn(delta: string, id = 'text'): Chunk {
  return { type: 'text-delta', id, delta }
}

export function textEnds(id = 'text'): Chunk {
  return { type: 'text-end', id }
}

export function says(text: string, id = 'text'): readonly Chunk[] {
  return [textStarts(id), textGoesOn(text, id), textEnds(id)]
}

export function calls(toolName: string, input: unknown, toolCallId = `call-${toolName}`): Chunk {
  return { type: 'tool-input-available', toolCallId, toolName, input }
}

export function returns(output: unknown, toolCallId: string): Chunk {
  return { type: 'tool-output-available', toolCallId, output }
}

/** The progress of a call begins. */
export function runs(toolCallId: string): Chunk {
  return stepOf({ toolCallId, status: 'running' })
}

/** The progress of a call ends. */
export function took(durationMs: number, toolCallId: string): Chunk {
  return stepOf({ toolCallId, status: 'completed', durationMs })
}

function stepOf(step: { readonly toolCallId: string; status: string; durationMs?: number }): Chunk {
  return { type: 'data-step', id: `step-${step.toolCallId}`, data: { number: 1, title: 'Tool', ...step } }
}
