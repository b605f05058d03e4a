import { randomHex } from './ids.ts'

/**
 * A place in a chat's log: everything up to and including `seq` has been seen.
 * The epoch changes when the log is lost or made anew, so a position never points into another log.
 */
export interface Position {
  readonly epoch: string
  readonly seq: number
}

const positionPattern = /^([^\W_]{1,32})\.(0|[1-9]\d{0,15})$/

export function formatPosition(position: Position): string {
  return `${position.epoch}.${position.seq}`
}

export function parsePosition(text: string): Position | undefined {
  const [, epoch, digits] = positionPattern.exec(text) ?? []
  const seq = Number(digits)
  return epoch !== undefined && Number.isSafeInteger(seq) ? { epoch, seq } : undefined
}

export function createEpoch(): string {
  return randomHex(8)
}
