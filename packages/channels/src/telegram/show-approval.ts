import { shorten } from '@throughline/protocol/internal'
import { callText, inputText } from '../ports/approval-text.ts'
import type { ApprovalOutcome, Channel, DecisionResult, ToolApproval } from '../ports/channel.ts'
import { ignoreUnchanged, targetOptions, withFallbacks, withoutPreview } from './send-message.ts'
import type { TelegramBot } from './telegram-bot.ts'
import { messageIdOf, readTarget } from './telegram-target.ts'

/** Asks with two buttons. Later it edits the same message: it says what was decided, and the buttons are gone. */
export function approvalShower(
  bot: TelegramBot,
  messageOptions: ApprovalMessageOptions,
): NonNullable<Channel['showApproval']> {
  return async ({ target, approval, replyTo, receipt, signal }) => {
    const to = readTarget(target)
    const { text, ...options } = { ...approvalMessage(approval, messageOptions), ...withoutPreview }
    const first = { chatId: to.chatId, isMarkdown: false, isPhoto: false }
    if (approval.outcome === undefined) {
      const withTarget = { ...options, ...targetOptions(to, messageIdOf(replyTo)) }
      const { message_id } = await bot.ask(signal, (api, apiSignal) =>
        withFallbacks(first, ({ chatId }) => api.sendMessage(chatId, text, withTarget, apiSignal)),
      )
      return `${message_id}`
    }
    const messageId = messageIdOf(receipt)
    // Telegram never took the question, so nobody waits to be told.
    if (messageId === undefined) return ''
    await bot.ask(signal, (api, apiSignal) =>
      withFallbacks(first, async ({ chatId }) => {
        await api.editMessageText(chatId, messageId, text, options, apiSignal).catch(ignoreUnchanged)
      }),
    )
    return `${messageId}`
  }
}

/** The most bytes of data that Telegram takes for a button. */
const maxDataBytes = 64
const maxHeadChars = 1_000

/** How a message about a tool call is written. */
interface ApprovalMessageOptions {
  readonly words: ApprovalWords
  /** Whether there is somebody in Telegram who may decide. */
  readonly canDecide: boolean
}

/** Returns a message about a tool call. Its text is plain, so nothing in the arguments can become markup. */
function approvalMessage(approval: ToolApproval, { words, canDecide }: ApprovalMessageOptions) {
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

export type TelegramLanguage = 'en' | 'zh'

/** What people are told about tool calls that wait for them. */
export interface ApprovalWords {
  /** Somebody who reads this may decide. */
  readonly waits: string
  /** Nobody who reads this may decide. It is done on the page of the chat. */
  readonly waitsOnPage: string
  readonly approve: string
  readonly deny: string
  readonly outcome: (outcome: ApprovalOutcome) => string
  /** What is shown for a moment to the person who has pressed a button. */
  readonly results: Readonly<Record<DecisionResult, string>>
}

export const approvalWords: Readonly<Record<TelegramLanguage, ApprovalWords>> = {
  en: {
    waits: 'waits for approval.',
    waitsOnPage:
      'waits for approval. Nobody can approve it here: its owner decides on the page of this chat.',
    approve: 'Approve',
    deny: 'Deny',
    outcome: outcomeIn({ approved: 'approved', denied: 'denied', notApproved: 'not approved' }),
    results: {
      decided: 'Done.',
      'not-waiting': 'This was decided already.',
      'not-found': 'This does not wait any more.',
      'not-allowed': 'You may not decide this.',
    },
  },
  zh: {
    waits: '等待批准。',
    waitsOnPage: '等待批准。此处无人可以批准，由其所有者在该会话的网页上决定。',
    approve: '批准',
    deny: '拒绝',
    outcome: outcomeIn({ approved: '已批准', denied: '已拒绝', notApproved: '未批准' }),
    results: {
      decided: '已提交。',
      'not-waiting': '此前已作出决定。',
      'not-found': '该请求已不再等待。',
      'not-allowed': '你无权作出决定。',
    },
  },
}

function outcomeIn(words: {
  readonly approved: string
  readonly denied: string
  readonly notApproved: string
}) {
  return ({ approved, reason }: ApprovalOutcome): string => {
    if (approved) return `✅ ${words.approved}`
    // With a reason, perhaps nobody has decided: it took too long, or the run was stopped.
    return reason === undefined ? `❌ ${words.denied}` : `❌ ${words.notApproved}: ${reason}`
  }
}
