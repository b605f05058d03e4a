import { GrammyError } from 'grammy'
import { type Channel, ChannelError } from '../channel.ts'
import {
  type FormatOptions,
  formatted,
  inSomeWay,
  maxTextChars,
  partsOf,
  withoutPreview,
} from './send-message.ts'
import type { TelegramBot } from './telegram-bot.ts'
import { messageIdOf, readTarget } from './telegram-target.ts'

/** Replaces the text of messages that were sent. */
export function messageEditor(bot: TelegramBot, { format }: FormatOptions): NonNullable<Channel['edit']> {
  return async ({ target, message, receipt, signal }) => {
    const { chatId } = readTarget(target)
    const messageId = messageIdOf(receipt)
    const [part, ...others] = partsOf({ text: message.text })
    if (messageId === undefined) {
      throw new ChannelError(
        'refused',
        `There is no message ${JSON.stringify(receipt.slice(0, 100))} to edit.`,
      )
    }
    if (part === undefined || others.length > 0) {
      throw new ChannelError('refused', `A message in Telegram has at most ${maxTextChars} characters.`)
    }
    const first = { chatId, isMarkdown: format === 'markdown', isPhoto: false }
    await bot.ask(signal, (api, apiSignal) =>
      inSomeWay(first, async way => {
        const { text, ...mode } = way.isMarkdown ? formatted(part) : { text: part.text }
        const options = { ...mode, ...withoutPreview }
        await api.editMessageText(way.chatId, messageId, text, options, apiSignal).catch(ignoreUnchanged)
      }),
    )
  }
}

/** Ignores the error with which Telegram refuses an edit that changes nothing. */
export function ignoreUnchanged(error: unknown): void {
  if (!(error instanceof GrammyError) || !error.description.includes('message is not modified')) throw error
}
