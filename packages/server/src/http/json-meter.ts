import { ProblemError } from '@throughline/protocol'
import { maxJsonDepth } from '@throughline/protocol/internal'

/**
 * How many values a body may have. A real body of 1 MB has tens of thousands. Parsing this many takes a few hundredths of a
 * second; parsing those that fit into 32 MB takes seconds, and gigabytes.
 */
export const maxBodyValues = 200_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Measures JSON while it is read, before it is parsed: how many values it has, how deep they are nested, and how many bytes
 * are not in strings. It does not check that it is JSON.
 *
 * Strings are skipped with a native search, so megabytes of base64 cost next to nothing.
 */
export class JsonMeter {
  /** How many bytes stand outside of strings. */
  bareBytes = 0
  #values = 1
  #depth = 0
  #isInString = false
  /** How many backslashes stand at the end of what was read of a string. */
  #backslashes = 0

  /** Reads the next piece. Returns the problem of a body that must not be parsed. */
  read(piece: Uint8Array): ProblemError | undefined {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let index = 0
    while (index < bytes.length) {
      index = this.#isInString ? this.#skipString(bytes, index) : this.#readBare(bytes, index)
      if (this.#depth > maxJsonDepth) return tooDeep()
      if (this.#values > maxBodyValues) return tooComplex()
    }
    return undefined
  }

  /** Reads up to the next string. Returns where that begins. */
  #readBare(bytes: Buffer, start: number): number {
    for (let index = start; index < bytes.length; index++) {
      switch (bytes[index]) {
        case quote:
          this.#isInString = true
          this.#backslashes = 0
          this.bareBytes += index - start
          return index + 1
        case comma:
          this.#values++
          break
        case openBracket:
        case openBrace:
          this.#values++
          this.#depth++
          if (this.#depth > maxJsonDepth) return bytes.length
          break
        case closeBracket:
        case closeBrace:
          this.#depth--
          break
      }
    }
    this.bareBytes += bytes.length - start
    return bytes.length
  }

  /** Returns where the rest begins after a string, or the end of the bytes when the string goes on. */
  #skipString(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(quote, start)
    const upTo = end === -1 ? bytes.length : end
    let count = 0
    while (upTo - count > start && bytes[upTo - count - 1] === backslash) count++
    if (upTo - count === start) count += this.#backslashes
    if (end === -1) {
      this.#backslashes = count
      return bytes.length
    }
    // After an odd number of backslashes the quote is a part of the string.
    this.#isInString = count % 2 === 1
    this.#backslashes = 0
    return end + 1
  }
}

function tooDeep(): ProblemError {
  return new ProblemError(
    400,
    'body-too-deep',
    `The body is nested deeper than ${maxJsonDepth} levels. Send a flatter one.`,
  )
}

function tooComplex(): ProblemError {
  return new ProblemError(
    413,
    'body-too-complex',
    `The body has more than ${maxBodyValues} values. Send fewer: a page that sends all its messages can send only the new one.`,
  )
}
