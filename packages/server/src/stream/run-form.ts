import type { Entry } from '@throughline/protocol/entry'
import type { Run } from '@throughline/store/runs'
import { doneFrame, encodeRun, waitFrames } from './chunks/encode.ts'
import type { AwaitedApproval } from './waits/run-waits.ts'

/**
 * A wire form of a run: what its entries become for one viewer. Pages come in order, up to the run's last entry;
 * between a run's entries there may be none of others, but there may be before them. A form may remember what it
 * has written, so every viewer gets one of its own.
 */
export interface RunForm {
  encode(entries: readonly Entry[]): readonly Uint8Array[] | Promise<readonly Uint8Array[]>
  /** What stands after the run's last entry. */
  readonly end: readonly Uint8Array[]
  /** What stands at the end of a stream that ends because the run waits for these approvals and for nothing else. */
  readonly waiting?: (approvals: readonly AwaitedApproval[]) => readonly Uint8Array[]
}

/** The AI SDK's own form. It remembers nothing, so it can be joined anywhere and its bytes are shared by all viewers. */
export function chunkForm(epoch: string, run: Run, subAgents?: 'envelope' | 'hidden'): RunForm {
  return { encode: encodeRun(epoch, run, subAgents), end: [doneFrame], waiting: () => waitFrames }
}
