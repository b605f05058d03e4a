import type { Chunk, EndStatus, Entry } from '@throughline/protocol'
import { messageIdOf, runIdOf, userMessage } from '@throughline/testing/log/entries-of'

/** What an agent does next. */
export type Act =
  /** A text, in the deltas in which it comes. */
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  | { readonly type: 'tool'; readonly toolCallId: string }
  | { readonly type: 'file'; readonly url: string }
  /** A sub-agent calls a tool that waits for a person. `settle`: the person decides. */
  | { readonly type: 'ask'; readonly approvalId: string }
  | { readonly type: 'settle'; readonly approvalId: string; readonly approved: boolean }

/** Returns the log of one run: a question with the channel's id `m1`, and what an agent does. */
export function runLog(acts: readonly Act[], status: EndStatus = 'finished'): readonly Entry[] {
  const log = new LogOfRun()
  log.add('in_m1', userMessage('in_m1', 'How is the weather?'))
  log.add('answer', { type: 'start', messageId: 'answer', messageMetadata: { status: 'streaming' } })
  for (const [index, act] of acts.entries()) {
    const author = act.type === 'ask' || act.type === 'settle' ? 'sub-agent' : 'answer'
    for (const chunk of chunksOf(act, index)) log.add(author, chunk)
  }
  for (const chunk of endOf(status)) log.add('answer', chunk)
  return log.entries
}

/** The reason in the log why an answer did not finish. */
export const reason = 'The model broke off.'

export function endOf(status: EndStatus): readonly Chunk[] {
  if (status === 'finished') return [{ type: 'finish', messageMetadata: { status } }]
  const metadata: Chunk = { type: 'message-metadata', messageMetadata: { status, statusText: reason } }
  if (status === 'failed') return [metadata, { type: 'error', errorText: reason }]
  return [metadata, { type: 'abort', reason }]
}

export function textChunks(id: string, pieces: readonly string[]): readonly Chunk[] {
  return [
    { type: 'text-start', id },
    ...pieces.map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
}

/** Returns the text of an answer: its texts, a blank line apart. */
export function textOfActs(acts: readonly Act[]): string {
  return acts
    .flatMap(act => (act.type === 'text' ? [act.pieces.join('')] : []))
    .filter(part => part !== '')
    .join('\n\n')
}

/** Collects the entries of one run and numbers them. */
export class LogOfRun {
  readonly entries: Entry[] = []

  add(messageId: string, ...chunks: readonly Chunk[]): this {
    for (const chunk of chunks) {
      const seq = this.entries.length + 1
      this.entries.push({ seq, at: seq, runId: runIdOf('run'), messageId: messageIdOf(messageId), chunk })
    }
    return this
  }
}

function chunksOf(act: Act, index: number): readonly Chunk[] {
  switch (act.type) {
    case 'text':
      return textChunks(`text-${index}`, act.pieces)
    case 'tool':
      return [
        { type: 'tool-input-available', toolCallId: act.toolCallId, toolName: 'clock', input: {} },
        { type: 'tool-output-available', toolCallId: act.toolCallId, output: 'noon' },
      ]
    case 'file':
      return [{ type: 'file', url: act.url, mediaType: 'image/png' }]
    case 'ask': {
      const { approvalId } = act
      const toolCallId = `call of ${approvalId}`
      return [
        { type: 'tool-input-available', toolCallId, toolName: 'remove', input: { what: 'all' } },
        { type: 'tool-approval-request', toolCallId, approvalId },
      ]
    }
    case 'settle': {
      const { approvalId, approved } = act
      return [{ type: 'tool-approval-response', approvalId, approved }]
    }
  }
}
