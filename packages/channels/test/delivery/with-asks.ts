import type { Chunk, Entry } from '@throughline/protocol'
import { LogOfRun } from './run-log.ts'

/** At which entry of a log a sub-agent asks a person, and how many entries later the person decides. */
export interface Ask {
  readonly at: number
  readonly after: number
  readonly approved: boolean
}

/** Adds approvals of a sub-agent to the log of a run, also in the middle of the master's texts. */
export function withAsks(log: readonly Entry[], asks: readonly Ask[]): readonly Entry[] {
  // The question and the answer's start come first, the end of the run last.
  const places = log.length - 3
  const inserted = asks.flatMap(({ at, after, approved }, index) => {
    const approvalId = `approval-${index}`
    const place = 2 + (at % places)
    return [
      { place, chunks: askChunks(approvalId) },
      { place: Math.min(place + after, 2 + places), chunks: [settleChunk(approvalId, approved)] },
    ]
  })
  const whole = new LogOfRun()
  for (const [index, { messageId, chunk }] of log.entries()) {
    for (const { place, chunks } of inserted) if (place === index) whole.add('sub-agent', ...chunks)
    whole.add(messageId, chunk)
  }
  return whole.entries
}

/** Returns the text of the answer before an approval, or `undefined` if the approval is in the middle of a text. */
export function textBefore(log: readonly Entry[], approvalId: string): string | undefined {
  const parts: string[] = []
  let open: string | undefined
  for (const { chunk } of log) {
    if (chunk.type === 'tool-approval-request' && chunk.approvalId === approvalId) break
    if (chunk.type === 'text-start') open = ''
    if (chunk.type === 'text-delta') open = (open ?? '') + chunk.delta
    if (chunk.type !== 'text-end') continue
    if (open !== undefined && open !== '') parts.push(open)
    open = undefined
  }
  return open === undefined ? parts.join('\n\n') : undefined
}

function askChunks(approvalId: string): readonly Chunk[] {
  const toolCallId = `call of ${approvalId}`
  return [
    { type: 'tool-input-available', toolCallId, toolName: 'remove', input: { what: 'all' } },
    { type: 'tool-approval-request', toolCallId, approvalId },
  ]
}

function settleChunk(approvalId: string, approved: boolean): Chunk {
  return { type: 'tool-approval-response', approvalId, approved }
}
