import type { Decide } from '../../channel.ts'
import type { TelegramBot } from '../telegram-bot.ts'
import type { ApprovalWords } from './approval-words.ts'
import type { Press } from './read-callback.ts'

/** How long to try to tell the person. Until then they see a spinner. */
const noticeTimeoutMs = 10_000

export interface PressOptions {
  readonly bot: TelegramBot
  readonly decide: Decide
  readonly words: ApprovalWords
  readonly report: (error: unknown, what: string) => void
  readonly signal: AbortSignal
}

/**
 * Takes a decision in, then tells the person who pressed the button. Throws only if the decision was not taken. A failure
 * to tell the person is only reported, because the delivery of the run shows in the message what was decided.
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
  // These buttons can never do anything. Perhaps they are left because a message was sent twice.
  await bot
    .ask(signal, (api, apiSignal) => api.editMessageReplyMarkup(chatId, messageId, {}, apiSignal))
    .catch(() => {
      // Mostly the buttons, or the message, are gone already.
    })
}
