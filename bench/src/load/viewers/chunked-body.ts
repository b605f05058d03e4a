const lineBreak = 10

/** Takes the lengths that HTTP/1.1 puts between the pieces of a body out of it. A piece may end inside an SSE event. */
export class ChunkedBody {
  /** How many bytes of the present piece are still to come, with the line break after it. */
  #left = 0
  /** The beginning of a line with a length. */
  #line = ''

  /** Returns the bytes of the body. */
  read(bytes: Buffer): Buffer {
    const pieces: Buffer[] = []
    let at = 0
    while (at < bytes.length) {
      if (this.#left === 0) at = this.#readLength(bytes, at)
      else {
        // The last two bytes of a piece are a line break that is not part of the body.
        const end = at + Math.min(this.#left, bytes.length - at)
        const bodyEnd = Math.min(end, at + this.#left - 2)
        if (bodyEnd > at) pieces.push(bytes.subarray(at, bodyEnd))
        this.#left -= end - at
        at = end
      }
    }
    const [only] = pieces
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
  }

  #readLength(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineBreak, at)
    this.#line += bytes.toString('latin1', at, end === -1 ? bytes.length : end)
    if (end === -1) return bytes.length
    this.#left = Number.parseInt(this.#line, 16) + 2
    this.#line = ''
    return end + 1
  }
}
