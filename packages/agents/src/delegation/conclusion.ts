import { type Chunk, isContinued, isToolPart, type Message } from '@throughline/protocol'

/**
 * Collects an agent's conclusion from the chunks of its message: the text after its last tool call. When there is no text
 * after that call, the conclusion is the text before it.
 */
export class Conclusion {
  #text = ''
  #hasCalledSince = false
  /** The process died in the middle of the text. The agent goes on where it ends. */
  #isCut = false

  get text(): string {
    return this.#text.trim()
  }

  add(chunk: Chunk): void {
    switch (chunk.type) {
      case 'tool-input-start':
      case 'tool-input-available':
      case 'tool-input-error':
        this.#hasCalledSince = true
        return
      case 'data-continued':
        this.#isCut = true
        return
      case 'text-start':
        if (!this.#hasCalledSince && !this.#isCut && this.#text !== '') this.#text += '\n\n'
        this.#isCut = false
        return
      case 'text-delta':
        return this.#addText(chunk.delta)
      default:
        return
    }
  }

  /** Adds a message that the log has already. */
  addMessage({ parts }: Pick<Message, 'parts'>): void {
    for (const part of parts) {
      if (isToolPart(part)) this.#hasCalledSince = true
      if (isContinued(part)) this.#isCut = true
      if (part.type !== 'text') continue
      this.add({ type: 'text-start', id: '' })
      this.#addText(part.text)
    }
  }

  #addText(text: string): void {
    if (!this.#hasCalledSince) {
      this.#text += text
      return
    }
    // White space is no conclusion: the earlier text stays until other text replaces it.
    if (text.trim() === '') return
    this.#text = text
    this.#hasCalledSince = false
  }
}
