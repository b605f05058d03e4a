import { type Api, InputFile } from 'grammy'
import type { Channel, Medium } from '../channel.ts'
import { inSomeWay, type Way } from './another-way.ts'
import { formatted, type Part, partsOf } from './message-parts.ts'
import type { ApiSignal, TelegramBot } from './telegram-bot.ts'
import { messageIdOf, readTarget, type TelegramTarget } from './telegram-target.ts'

export interface FormatOptions {
  readonly format: 'markdown' | 'plain'
}

/** How many partly sent messages are remembered. */
const maxUnfinished = 1_000

/** Sends messages. A long one is several messages in Telegram. If it fails halfway, the next attempt goes on there. */
export function messageSender(bot: TelegramBot, { format }: FormatOptions): Channel['send'] {
  const unfinished = new Map<string, readonly string[]>()
  return async ({ target, message, idempotencyKey, signal }) => {
    const to = readTarget(target)
    const parts = partsOf(message)
    const receipts = [...(unfinished.get(idempotencyKey) ?? [])]
    for (const part of parts.slice(receipts.length)) {
      const replyTo = receipts.length === 0 ? messageIdOf(message.replyTo) : undefined
      const way = { chatId: to.chatId, isMarkdown: format === 'markdown', isPhoto: part.type === 'photo' }
      const messageId = await bot.ask(signal, (api, apiSignal) =>
        inSomeWay(way, current => sendPart({ api, apiSignal, part, to, replyTo }, current)),
      )
      receipts.push(`${messageId}`)
      if (parts.length > 1) unfinished.set(idempotencyKey, [...receipts])
    }
    unfinished.delete(idempotencyKey)
    forgetOldest(unfinished)
    return receipts.at(-1) ?? ''
  }
}

interface PartRequest {
  readonly api: Api
  readonly apiSignal: ApiSignal
  readonly part: Part
  readonly to: TelegramTarget
  readonly replyTo: number | undefined
}

async function sendPart({ api, apiSignal, part, to, replyTo }: PartRequest, way: Way): Promise<number> {
  const { text, ...mode } = way.isMarkdown ? formatted(part) : { text: part.text }
  const options = { ...mode, ...targetOptions(to, replyTo) }
  if (part.type === 'text') {
    const sent = await api.sendMessage(way.chatId, text, { ...options, ...withoutPreview }, apiSignal)
    return sent.message_id
  }
  const captioned = text === '' ? options : { ...options, caption: text }
  const file = fileOf(part.medium)
  const sent = way.isPhoto
    ? await api.sendPhoto(way.chatId, file, captioned, apiSignal)
    : await api.sendDocument(way.chatId, file, captioned, apiSignal)
  return sent.message_id
}

/** Returns where in a chat a message goes: into its topic, and below the message that it is a reply to. */
export function targetOptions({ threadId }: TelegramTarget, replyTo: number | undefined) {
  return {
    ...(threadId !== undefined && { message_thread_id: threadId }),
    ...(replyTo !== undefined && {
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    }),
  }
}

/** For a preview Telegram would load every address in a text. So data that an agent puts into an address could leak. */
export const withoutPreview = { link_preview_options: { is_disabled: true } } as const

// The name becomes part of a header, and grammY does not quote it.
function fileOf({ bytes, fileName }: Medium): InputFile {
  return new InputFile(bytes, fileName.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_') || 'file')
}

function forgetOldest(unfinished: Map<string, unknown>): void {
  const [oldest] = unfinished.keys()
  if (unfinished.size > maxUnfinished && oldest !== undefined) unfinished.delete(oldest)
}
