import type { Chunk } from '@throughline/protocol/chunk'

/**
 * Collects what an agent says last, from the chunks of its message: the text after its last tool call. An agent that
 * says nothing after that call has concluded before it, so then the text before the call counts.
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

  #addText(text: string): void {
    if (!this.#hasCalledSince) {
      this.#text += text
      return
    }
    // White space concludes nothing: the earlier text stays until real words replace it.
    if (text.trim() === '') return
    this.#text = text
    this.#hasCalledSince = false
  }
}
