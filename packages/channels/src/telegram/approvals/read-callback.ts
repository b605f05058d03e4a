import { z } from 'zod'
import type { InboundDecision } from '../../channel.ts'
import { readButton } from './approval-message.ts'

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
