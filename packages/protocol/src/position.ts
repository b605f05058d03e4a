import { randomHex } from './ids.ts'

/**
 * A position in a chat's log: a reader has seen every entry up to and including `seq`. A log that is created again
 * after it was lost has another epoch, so an old position is never taken for a position in the new log.
 */
export interface Position {
  /** Names this log. A log that is created again gets another epoch. */
  readonly epoch: string
  /** The number of the last entry that was seen; 0 for none. */
  readonly seq: number
}

const positionPattern = /^([^\W_]{1,32})\.(0|[1-9]\d{0,15})$/

/** Returns a position as text, such as `1f0c8a6e2b7d4593.42`. */
export function formatPosition(position: Position): string {
  return `${position.epoch}.${position.seq}`
}

/** Reads a position from text; `undefined` when the text is not one. */
export function parsePosition(text: string): Position | undefined {
  const [, epoch, digits] = positionPattern.exec(text) ?? []
  const seq = Number(digits)
  return epoch !== undefined && Number.isSafeInteger(seq) ? { epoch, seq } : undefined
}

/** Returns a new random epoch for a log. */
export function createEpoch(): string {
  return randomHex(8)
}
