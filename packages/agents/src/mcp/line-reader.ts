import { McpMessageTooLarge } from './mcp-message-too-large.ts'

/**
 * Splits bytes that come in pieces into lines. The time is linear in the size of a line: each piece is searched once, and the
 * pieces of a line are joined once, when the line is complete.
 */
export class LineReader {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Yields the lines that are complete, without line ends. Throws when a line is too long, also before its end. */
  *read(piece: Buffer): Generator<string, void, undefined> {
    let start = 0
    for (;;) {
      const end = piece.indexOf(0x0a, start)
      this.#add(piece.subarray(start, end === -1 ? undefined : end))
      if (end === -1) return
      const line = Buffer.concat(this.#pieces, this.#bytes).toString('utf8')
      this.#clear()
      yield line.endsWith('\r') ? line.slice(0, -1) : line
      start = end + 1
    }
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes <= this.#maxBytes) return
    this.#clear()
    throw new McpMessageTooLarge(this.#maxBytes)
  }

  #clear(): void {
    this.#pieces = []
    this.#bytes = 0
  }
}
