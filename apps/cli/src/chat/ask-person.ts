import type { ApprovalRequest } from './approvals.ts'
import type { LineEditor } from './line-editor.ts'
import type { Decision } from './screen.ts'

/** Asks until the answer is a yes or a no; what follows a no is the reason, which the agent is told. */
export async function askPerson(
  editor: Pick<LineEditor, 'ask'>,
  { toolName }: ApprovalRequest,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  for (;;) {
    const answer = await editor.ask(`Allow ${toolName}? (y, n, or n REASON) `, signal)
    if (answer === undefined) return undefined
    const [, word = '', rest = ''] = /^\s*(y|yes|n|no)\b[\s,:]*(.*?)\s*$/i.exec(answer) ?? []
    if (/^y/i.test(word) && rest === '') return { approved: true }
    if (/^n/i.test(word)) return { approved: false, reason: rest === '' ? undefined : rest }
  }
}
