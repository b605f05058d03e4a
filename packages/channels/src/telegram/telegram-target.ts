import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import { ChannelError } from '../ports/channel.ts'

const telegramTarget = z.object({ chatId: z.int(), threadId: z.int().optional() })

/** A chat in Telegram, and perhaps one of its topics. */
export type TelegramTarget = z.infer<typeof telegramTarget>

export function writeTarget({ chatId, threadId }: TelegramTarget): string {
  return JSON.stringify({ chatId, threadId })
}

export function readTarget(target: string): TelegramTarget {
  const parsed = telegramTarget.safeParse(parseJson(target))
  if (parsed.success) return parsed.data
  throw new ChannelError(
    'refused',
    `This is no target of a Telegram channel: ${JSON.stringify(target.slice(0, 100))}. It looks like {"chatId":123}.`,
  )
}

/** Returns Telegram's number of a message, from the id of an inbound message or from a receipt. */
export function messageIdOf(id = ''): number | undefined {
  const [digits] = /\d+$/.exec(id) ?? []
  return digits === undefined ? undefined : Number(digits)
}
