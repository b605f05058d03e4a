import { LogError, logName, readBetween } from '@throughline/log'
import { type ChatKey, isMessageId, type Message, type Position, rootsOf } from '@throughline/protocol'
import type { History } from '../../chats/history.ts'
import type { SubAgentForm } from '../../stream/chunks/chunk-stream.ts'
import { inlineMessage } from '../../stream/inline/inline-projection.ts'
import type { OlderSdk } from '../../stream/sdk/sdk-fields.ts'
import { sdkMessage } from '../../stream/sdk/sdk-message.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { choice, olderSdkFrom, subAgentFormFrom } from '../respond/wire-form.ts'

/** The form in which a client wants a chat's messages. */
export interface HistoryForm {
  /** Sub-agents' messages come after the answer that they worked for, or their parts are in it, or they are left out. */
  readonly subAgents: SubAgentForm
  /** Whether an answer that is still being written is included, as far as it has come. */
  readonly inProgress: boolean
  /** The client's AI SDK, when that is an older one. */
  readonly sdk: OlderSdk | undefined
}

/** The messages of a chat in the form that a client asked for. */
export interface ShownHistory {
  readonly messages: readonly Message[]
  /** A client that follows the log from here gets exactly what comes after these messages. */
  readonly position: Position
}

/**
 * Reads what a client chooses. By default older AI SDKs get no answer in progress: when they resume, they append the whole
 * answer to what they have.
 */
export function historyFormFrom(context: HttpContext): HistoryForm {
  const sdk = olderSdkFrom(context)
  const inProgress = choice(context, 'inProgress', ['true', 'false'])
  return {
    subAgents: subAgentFormFrom(context) ?? 'hidden',
    inProgress: inProgress === undefined ? sdk === undefined : inProgress === 'true',
    sdk,
  }
}

interface ShownChat extends ChatKey {
  readonly form: HistoryForm
}

/** Returns a chat's messages in the form that the client asked for. */
export async function showHistory(
  services: Services,
  history: History,
  { form, ...chat }: ShownChat,
): Promise<ShownHistory> {
  const roots = rootsOf(history.messages)
  const open = new Set(history.messages.flatMap(each => (isStreaming(each) ? [each.id] : [])))
  const helped = new Set(form.subAgents === 'inline' ? roots.values() : [])
  const messages: Message[] = []
  for (const message of history.messages) {
    const { id } = message
    if (form.subAgents !== 'separate' && roots.has(id)) continue
    // A sub-agent may have ended before the answer that it works for.
    if (!form.inProgress && open.has(roots.get(id) ?? id)) continue
    const shown = helped.has(id)
      ? await inlineAnswer(services, message, { ...chat, upTo: history.position })
      : message
    messages.push(form.sdk === undefined ? shown : sdkMessage(form.sdk, shown))
  }
  return { messages, position: form.inProgress ? history.position : history.settled }
}

interface UpTo extends ChatKey {
  readonly upTo: Position
}

async function inlineAnswer(
  { store }: Services,
  message: Message,
  { upTo, ...chat }: UpTo,
): Promise<Message> {
  const run = isMessageId(message.id) ? await store.runs.ofAnswer(chat, message.id) : undefined
  if (run === undefined) return message
  const pages = readBetween(store.log, logName(chat), {
    after: { epoch: upTo.epoch, seq: run.afterSeq },
    upTo: upTo.seq,
  })
  const inlined = await inlineMessage(run, pages).catch(error => {
    // The entries of the run were trimmed. Nobody knows any more in which order its agents wrote.
    if (error instanceof LogError && error.code === 'unknown-position') return undefined
    throw error
  })
  // The metadata may have been changed after the run, so the saved one is newer.
  return inlined === undefined ? message : { ...inlined, metadata: message.metadata }
}

function isStreaming({ metadata }: Message): boolean {
  return metadata?.status === 'streaming'
}
