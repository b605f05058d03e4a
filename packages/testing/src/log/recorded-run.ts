import { logName } from '@throughline/log'
import {
  type ChatKey,
  type EndStatus,
  type Entry,
  type EntryDraft,
  emptyChat,
  fold,
  isChatId,
  type Message,
  messagesOf,
  type OwnerId,
  parseEntry,
} from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { appendAtEnd } from './append-at-end.ts'
import { idOf } from './id-of.ts'

/** A run that the inspector of the page has saved as a test fixture. */
export interface RecordedRun {
  /** The entries of the run, numbered from 1. */
  readonly entries: readonly Entry[]
  /** The messages after the run, with those of sub-agents. The first one is the person's. */
  readonly messages: readonly Message[]
}

/** Reads a fixture. Throws a `TypeError` that says what is wrong with it. */
export function readRecordedRun(json: string): RecordedRun {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || !('throughlineRun' in value) || !('entries' in value))
    throw new TypeError('This is no recorded run. Save one with the inspector of the page.')
  const { throughlineRun, entries: list } = value
  if (throughlineRun !== 1 || !Array.isArray(list))
    throw new TypeError(`A recorded run of version ${throughlineRun} cannot be read: only version 1 can.`)
  const entries = list.map((each: unknown) => {
    const parsed = parseEntry(JSON.stringify(each))
    if (parsed.type === 'invalid') throw new TypeError(`The recorded run has a bad entry: ${parsed.problem}.`)
    return parsed.entry
  })
  return { entries, messages: messagesOf(entries.reduce(fold, emptyChat())) }
}

interface PlayOptions {
  readonly ownerId: OwnerId
  /** A chat that does not exist yet. */
  readonly chatId: string
  /** Plays the entries up to this number, and then waits for `goOn`. Default: all of them. */
  readonly upTo?: number
  readonly goOn?: Promise<void>
}

/**
 * Writes a recorded run into the log of a new chat, as the run that it was. Pages and clients that follow the chat see it
 * live, and whoever comes later finds its messages. The entries get the times at which they are written.
 */
export async function playRecordedRun(
  store: Store,
  { entries, messages }: RecordedRun,
  { ownerId, chatId: id, upTo = entries.length, goOn }: PlayOptions,
): Promise<void> {
  const chat = { ownerId, chatId: idOf(isChatId, id) }
  const run = runOf(entries, messages, chat)
  const { id: runId, startedAt: at } = run
  const [question] = messages
  await store.runs.claim(run, {
    chat: { id: chat.chatId, title: 'A recorded run', createdAt: at, updatedAt: at },
    userMessage: question && { message: question, runId, seq: undefined },
  })
  const lease = await store.log.acquire(logName(chat))
  const drafts: readonly EntryDraft[] = entries.map(({ messageId, chunk }) => ({ runId, messageId, chunk }))
  await appendAtEnd(store.log, lease, drafts.slice(0, upTo))
  await goOn
  if (upTo < drafts.length) await appendAtEnd(store.log, lease, drafts.slice(upTo))
  await store.runs.end(run, {
    status: endOf(messages[1]),
    at,
    seq: entries.length,
    messages: messages.map(message => ({
      message,
      runId,
      seq: entries.find(({ messageId }) => messageId === message.id)?.seq,
    })),
  })
}

function runOf(entries: readonly Entry[], messages: readonly Message[], chat: ChatKey): Run {
  const [asked] = entries
  const [question, answer] = messages
  const answered = entries.find(({ messageId }) => messageId === answer?.id)
  if (asked === undefined || answered === undefined || question?.role !== 'user')
    throw new TypeError('A recorded run begins with the message of a person, and has an answer.')
  return {
    ...chat,
    id: asked.runId,
    agent: answer?.metadata?.agent?.name ?? 'assistant',
    userMessageId: asked.messageId,
    answerId: answered.messageId,
    afterSeq: 0,
    startedAt: new Date().toISOString(),
    status: 'running',
    kind: 'answer',
  }
}

function endOf(answer: Message | undefined): EndStatus {
  const { status } = answer?.metadata ?? {}
  return status === undefined || status === 'streaming' ? 'finished' : status
}
