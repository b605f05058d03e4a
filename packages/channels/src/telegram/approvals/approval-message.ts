import { shorten } from '@throughline/protocol/internal'
import type { ToolApproval } from '../../channel.ts'
import { callText, inputText } from '../../sending/approval-text.ts'
import type { ApprovalWords } from './approval-words.ts'

/** The most bytes of data that Telegram takes for a button. */
const maxDataBytes = 64
const maxHeadChars = 1_000

/** How a message about a tool call is written. */
export interface ApprovalMessageOptions {
  readonly words: ApprovalWords
  /** Whether there is somebody in Telegram who may decide. */
  readonly canDecide: boolean
}

/** Returns a message about a tool call. Its text is plain, so nothing in the arguments can become markup. */
export function approvalMessage(approval: ToolApproval, { words, canDecide }: ApprovalMessageOptions) {
  const { outcome } = approval
  const isOpen = outcome === undefined
  const buttons = isOpen && approval.isAskedHere && canDecide ? buttonsOf(approval, words) : undefined
  const waits = buttons === undefined ? words.waitsOnPage : words.waits
  const said = isOpen
    ? `🔐 ${callText(approval)} ${waits}`
    : `${callText(approval)}: ${words.outcome(outcome)}`
  const head = shorten(said.toWellFormed(), maxHeadChars)
  const input = inputText(approval)
  const offset = head.length + 2
  const entity = { type: 'pre', offset, length: input.length, language: 'json' } as const
  return {
    text: `${head}\n\n${input}`,
    entities: [entity],
    ...(buttons !== undefined && { reply_markup: { inline_keyboard: [buttons] } }),
  }
}

/** Reads the data of a button that was pressed. Returns `undefined` if it is not one of ours. */
export function readButton(
  data = '',
): { readonly approvalId: string; readonly approved: boolean } | undefined {
  const [, verb, approvalId] = /^(approve|deny):(.+)$/s.exec(data) ?? []
  return approvalId === undefined ? undefined : { approvalId, approved: verb === 'approve' }
}

function buttonsOf({ id }: ToolApproval, { approve, deny }: ApprovalWords) {
  const approveData = `approve:${id}`
  if (Buffer.byteLength(approveData) > maxDataBytes) return undefined
  return [
    { text: approve, callback_data: approveData },
    { text: deny, callback_data: `deny:${id}` },
  ]
}
