import type { Decide } from '../../channel.ts'
import type { TelegramBot } from '../telegram-bot.ts'
import type { ApprovalWords } from './approval-words.ts'
import type { Press } from './read-callback.ts'

/** The person sees a spinner for so long at most. */
const noticeTimeoutMs = 10_000

export interface PressOptions {
  readonly bot: TelegramBot
  readonly decide: Decide
  readonly words: ApprovalWords
  readonly report: (error: unknown, what: string) => void
  readonly signal: AbortSignal
}

/**
 * Takes a decision in, then tells the person that it was taken. Throws only when it was not taken: what the person is
 * told is worth nothing later. What was decided is shown in the message itself, by the delivery of the run.
 */
export async function takePress(press: Press, options: PressOptions): Promise<void> {
  const { bot, decide, words, report } = options
  const { queryId, chatId, messageId, decision } = press
  const result = await decide(decision)
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(noticeTimeoutMs)])
  const notice = { text: words.results[result] }
  await bot
    .ask(signal, (api, apiSignal) => api.answerCallbackQuery(queryId, notice, apiSignal))
    .catch(error =>
      report(error, `a press of a button in Telegram was ${result}; the person could not be told`),
    )
  if (result === 'decided' || result === 'not-allowed') return
  // These buttons will never do anything. That they are still there may be because a message was sent twice.
  await bot
    .ask(signal, (api, apiSignal) => api.editMessageReplyMarkup(chatId, messageId, {}, apiSignal))
    .catch(() => {
      // Mostly they are gone already, or the message is.
    })
}
