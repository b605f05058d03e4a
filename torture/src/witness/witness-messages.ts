/** What the torture asks of the witness. */
export type WitnessRequest =
  /** Follow a stream until it breaks, and append what comes to a file. */
  | {
      readonly type: 'follow'
      readonly viewer: number
      readonly url: string
      readonly path: string
      readonly file: string
    }
  /** Say when all viewers of this file have left, and the file is on disk. */
  | { readonly type: 'settle'; readonly id: number; readonly file: string }

/** One line of the witness's file: what a viewer got at once, in latin1. */
export interface SeenBytes {
  readonly viewer: number
  readonly bytes: string
}

export function isWitnessRequest(value: unknown): value is WitnessRequest {
  return typeof value === 'object' && value !== null && 'type' in value && 'file' in value
}
