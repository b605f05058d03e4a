import type { Channel } from '../../channel.ts'
import { inSomeWay } from '../another-way.ts'
import { ignoreUnchanged } from '../edit-message.ts'
import { placeOptions, withoutPreview } from '../send-message.ts'
import type { TelegramBot } from '../telegram-bot.ts'
import { messageIdOf, readTarget } from '../telegram-target.ts'
import { approvalMessage } from './approval-message.ts'
import type { ApprovalWords } from './approval-words.ts'

/** Asks with two buttons; later the same message says what was decided, and has no buttons any more. */
export function approvalShower(bot: TelegramBot, words: ApprovalWords): NonNullable<Channel['showApproval']> {
  return async ({ target, approval, replyTo, receipt, signal }) => {
    const place = readTarget(target)
    const { text, ...options } = { ...approvalMessage(approval, words), ...withoutPreview }
    const first = { chatId: place.chatId, isMarkdown: false, isPhoto: false }
    if (approval.outcome === undefined) {
      const placed = { ...options, ...placeOptions(place, messageIdOf(replyTo)) }
      const { message_id } = await bot.ask(signal, (api, apiSignal) =>
        inSomeWay(first, ({ chatId }) => api.sendMessage(chatId, text, placed, apiSignal)),
      )
      return `${message_id}`
    }
    const messageId = messageIdOf(receipt)
    // Telegram did not take the question, so there is nobody to be told.
    if (messageId === undefined) return ''
    await bot.ask(signal, (api, apiSignal) =>
      inSomeWay(first, async ({ chatId }) => {
        await api.editMessageText(chatId, messageId, text, options, apiSignal).catch(ignoreUnchanged)
      }),
    )
    return `${messageId}`
  }
}
