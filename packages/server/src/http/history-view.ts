import { logName } from '@throughline/log/log-store'
import { rootsOf } from '@throughline/protocol/branches'
import { type ChatId, isMessageId, type OwnerId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import type { History } from '../history.ts'
import { pagesBetween } from '../runs/run-log.ts'
import { inlineMessage } from '../stream/inline-message.ts'
import type { HttpContext, Services } from './context.ts'
import { choice } from './wire-form.ts'

/** In what form a client wants a chat's messages. */
export interface HistoryForm {
  /** Sub-agents' messages after the answer they worked for, their parts in it, or neither. */
  readonly subAgents: 'separate' | 'inline' | 'hidden'
  /** Whether an answer that is still being written is there, as far as it has come. */
  readonly inProgress: boolean
}

export interface ShownHistory {
  readonly messages: readonly Message[]
  /** Following the log from here continues exactly where these messages end. */
  readonly position: Position
}

/** Reads `?subAgents=` and `?inProgress=`. */
export function historyFormFrom(context: HttpContext): HistoryForm {
  return {
    subAgents: choice(context, 'subAgents', ['separate', 'inline', 'hidden']) ?? 'separate',
    inProgress: choice(context, 'inProgress', ['true', 'false']) !== 'false',
  }
}

interface ShownChat {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly form: HistoryForm
}

/** A chat's messages in the form that was asked for. */
export async function showHistory(
  services: Services,
  history: History,
  { form, ...chat }: ShownChat,
): Promise<ShownHistory> {
  const roots = rootsOf(history.messages)
  const open = new Set(history.messages.flatMap(each => (isStreaming(each) ? [each.id] : [])))
  const messages = history.messages.filter(({ id }) => {
    if (form.subAgents !== 'separate' && roots.has(id)) return false
    // A sub-agent may have ended before the answer that it works for.
    return form.inProgress || !open.has(roots.get(id) ?? id)
  })
  const position = form.inProgress ? history.position : history.settled
  if (form.subAgents !== 'inline') return { messages, position }

  const helped = new Set(roots.values())
  const inlined: Message[] = []
  // One after the other: each may be long.
  for (const message of messages) {
    const isHelped = helped.has(message.id)
    inlined.push(
      isHelped ? await inlineAnswer(services, message, { ...chat, upTo: history.position }) : message,
    )
  }
  return { messages: inlined, position }
}

interface UpTo {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly upTo: Position
}

async function inlineAnswer(
  { store }: Services,
  message: Message,
  { ownerId, chatId, upTo }: UpTo,
): Promise<Message> {
  const run = isMessageId(message.id) ? await store.runs.ofAnswer(ownerId, chatId, message.id) : undefined
  if (run === undefined) return message
  const pages = pagesBetween(store.log, logName(ownerId, chatId), {
    after: { epoch: upTo.epoch, seq: run.afterSeq },
    upTo: upTo.seq,
  })
  return (await inlineMessage(run, pages)) ?? message
}

function isStreaming({ metadata }: Message): boolean {
  return metadata?.status === 'streaming'
}
