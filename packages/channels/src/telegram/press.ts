import { z } from 'zod'
import type { Decide, InboundDecision } from '../ports/channel.ts'
import { type ApprovalWords, readButton } from './show-approval.ts'
import type { TelegramBot } from './telegram-bot.ts'

/** Somebody has pressed a button below a message. */
export const callbackQuery = z.object({
  id: z.string(),
  from: z.object({ id: z.int(), is_bot: z.boolean() }),
  message: z
    .object({
      message_id: z.int(),
      chat: z.object({ id: z.int() }),
      message_thread_id: z.int().optional(),
      is_topic_message: z.boolean().default(false),
    })
    .optional(),
  data: z.string().optional(),
})

export interface Press {
  readonly type: 'press'
  readonly queryId: string
  /** The id of the message with the button. */
  readonly chatId: number
  readonly messageId: number
  readonly decision: InboundDecision
}

/** Returns what a press means, or `undefined` if the button is not ours. The caller checks who pressed it. */
export function readCallback(
  { id, from, message, data }: z.infer<typeof callbackQuery>,
  { areTopicsApart }: { readonly areTopicsApart: boolean },
): Press | undefined {
  const button = readButton(data)
  if (button === undefined || message === undefined || from.is_bot) return undefined
  const { chat, message_id: messageId, message_thread_id: threadId, is_topic_message: isInTopic } = message
  const isApart = areTopicsApart && isInTopic && threadId !== undefined
  const conversation = isApart ? `${chat.id}_${threadId}` : `${chat.id}`
  const decision = { ...button, conversation, senderId: `${from.id}` }
  return { type: 'press', queryId: id, chatId: chat.id, messageId, decision }
}

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
