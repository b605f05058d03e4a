import type { Channel } from '../../channel.ts'
import { ignoreUnchanged } from '../edit-message.ts'
import { inSomeWay, targetOptions, withoutPreview } from '../send-message.ts'
import type { TelegramBot } from '../telegram-bot.ts'
import { messageIdOf, readTarget } from '../telegram-target.ts'
import { type ApprovalMessageOptions, approvalMessage } from './approval-message.ts'

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
        inSomeWay(first, ({ chatId }) => api.sendMessage(chatId, text, withTarget, apiSignal)),
      )
      return `${message_id}`
    }
    const messageId = messageIdOf(receipt)
    // Telegram never took the question, so nobody waits to be told.
    if (messageId === undefined) return ''
    await bot.ask(signal, (api, apiSignal) =>
      inSomeWay(first, async ({ chatId }) => {
        await api.editMessageText(chatId, messageId, text, options, apiSignal).catch(ignoreUnchanged)
      }),
    )
    return `${messageId}`
  }
}
