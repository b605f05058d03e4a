import { randomHex } from './ids.ts'

/**
 * A place in a chat's log: everything up to and including `seq` has been seen.
 * The epoch changes when the log is lost or made anew, so a position never points into another log.
 */
export interface Position {
  readonly epoch: string
  readonly seq: number
}

const positionPattern = /^([A-Za-z0-9]{1,32})\.(0|[1-9][0-9]{0,15})$/

export function formatPosition(position: Position): string {
  return `${position.epoch}.${position.seq}`
}

export function parsePosition(text: string): Position | undefined {
  const [, epoch, seq] = positionPattern.exec(text) ?? []
  if (epoch === undefined || seq === undefined) return undefined
  const number = Number(seq)
  return Number.isSafeInteger(number) ? { epoch, seq: number } : undefined
}

export function createEpoch(): string {
  return randomHex(8)
}
