import { type Chunk, isToolPart, type Message } from '@throughline/protocol'

/**
 * Collects an agent's conclusion from the chunks of its message: the text after its last tool call. When there is no text
 * after that call, the conclusion is the text before it.
 */
export class Conclusion {
  #text = ''
  #hasCalledSince = false

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
      case 'text-start':
        if (!this.#hasCalledSince && this.#text !== '') this.#text += '\n\n'
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
