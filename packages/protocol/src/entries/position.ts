import { randomHex } from '../message/ids.ts'

/**
 * A position in a chat's log: a reader has seen every entry up to and including `seq`. A log that is created again
 * after it was lost has another epoch, so an old position is never taken for a position in the new log.
 */
export interface Position {
  /** Names this log, and its generation. A log that is created again, or that may have lost entries, gets another one. */
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

// A store may have lost entries that readers have seen: it was restored from a backup, or a standby took over. New
// entries would then reuse their numbers. So each log of such a store gets a new generation, and no reader takes new
// entries for those it has seen. The entries that are left keep their numbers, and the log keeps its name.

/** Returns the epoch that positions of a log have: its name, and its generation, which is empty at first. */
export function epochFrom({
  log,
  generation,
}: {
  readonly log: string
  readonly generation: string
}): string {
  return log + generation
}

/** Returns the name of the log that an epoch belongs to, which is the epoch of its first generation. */
export function logOfEpoch(epoch: string): string {
  return epoch.slice(0, nameLength)
}

/** Returns the generation in an epoch. */
export function generationOf(epoch: string): string {
  return epoch.slice(nameLength)
}

/** The length of what `createEpoch` returns. */
const nameLength = 16
