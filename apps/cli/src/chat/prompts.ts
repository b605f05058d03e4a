import type { LineEditor } from './line-editor.ts'
import type { WaitingApproval } from './person-requests.ts'
import type { ApprovalReply } from './screen.ts'

/**
 * Asks a person for a decision, until they type yes or no. Words after a "no" are the reason, which the agent is told.
 * Returns `undefined` when the signal aborts.
 */
export async function promptApproval(
  editor: Pick<LineEditor, 'ask'>,
  { toolName }: WaitingApproval,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  for (;;) {
    const line = await editor.ask(`Allow ${toolName}? (y, n, or n REASON) `, signal)
    if (line === undefined) return undefined
    const [, word = '', rest = ''] = /^\s*(y|yes|n|no)\b[\s,:]*(.*?)\s*$/i.exec(line) ?? []
    if (/^y/i.test(word) && rest === '') return { approved: true }
    if (/^n/i.test(word)) return { approved: false, reason: rest === '' ? undefined : rest }
  }
}

/** Asks a person for an answer, until they type one. Returns `undefined` when the signal aborts. */
export async function promptAnswer(
  editor: Pick<LineEditor, 'ask'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const line = await editor.ask('Your answer: ', signal)
    if (line === undefined || line.trim() !== '') return line?.trim()
  }
}
