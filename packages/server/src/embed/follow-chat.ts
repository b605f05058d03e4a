import { follow, LogError, logName } from '@throughline/log'
import {
  type ChatKey,
  type Entry,
  formatPosition,
  isRunId,
  type Position,
  ProblemError,
} from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { knownPosition, positionUnknown } from '../http/chat/position-in-run.ts'
import type { Services } from '../http/request/context.ts'
import { chatNotFound } from '../http/request/problems.ts'
import { runPages } from '../stream/run-pages.ts'
import { chatKey, type NamedChat } from './named-chat.ts'

/** The options of `follow`. `ownerId` and `chatId` are needed. */
export interface ChatToFollow extends NamedChat {
  /**
   * Yields only the entries after this position: the `position` of an earlier entry, of `send`, or of `chats.messages`.
   * Default: all entries, or with `runId` all entries of the run.
   */
  readonly after?: string | undefined
  /** Yields only the entries of this run, and ends with the run. Default: the entries of all runs, without an end. */
  readonly runId?: string | undefined
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined
}

/** An entry of the log, with its position. */
export interface FollowedEntry extends Entry {
  /** To get the entries after this one, pass it as `after`. */
  readonly position: string
}

/**
 * Yields the entries of a chat's log, once and in order: first those that are there, then those that are appended. The
 * caller counts as a viewer of the chat. Ends when `signal` aborts, when the run of `runId` has ended, and after the
 * last entry when Throughline is closed.
 *
 * Throws a `ProblemError` (`chat-not-found`, `run-not-found` or `position-unknown`). Throws an `AbortError` when
 * Throughline is closed before the end of the run of `runId` is in the log.
 */
export async function* followEntries(
  services: Services,
  asked: ChatToFollow,
): AsyncGenerator<FollowedEntry, void, undefined> {
  const chat = chatKey(asked)
  const { store, runner } = services
  if ((await store.chats.get(chat)) === undefined) throw chatNotFound(chat.chatId)
  const run = asked.runId === undefined ? undefined : await runOf(services, chat, asked.runId)
  const after = await beginning(services, chat, { after: asked.after, run })
  const presence = runner.viewers.presence(chat)
  presence.take()
  try {
    for await (const page of pagesOf(services, chat, { after, run, signal: asked.signal })) {
      for (const entry of page) {
        if (run !== undefined && entry.runId !== run.id) continue
        yield { ...entry, position: formatPosition({ epoch: after.epoch, seq: entry.seq }) }
      }
    }
  } catch (error) {
    const isTrimmed = error instanceof LogError && error.code === 'unknown-position'
    if (isTrimmed) throw await positionUnknown(services, chat, formatPosition(after))
    if (asked.signal?.aborted !== true) throw error
  } finally {
    presence.leave()
  }
}

interface Followed {
  readonly after: Position
  readonly run: Run | undefined
  readonly signal: AbortSignal | undefined
}

function pagesOf(
  { store, closing, over }: Services,
  chat: ChatKey,
  { after, run, signal = new AbortController().signal }: Followed,
): AsyncIterable<readonly Entry[]> {
  return run === undefined
    ? follow(store.log, logName(chat), { after, signal, closing })
    : runPages(store.log, run, { after, signal, closing: over })
}

async function beginning(
  services: Services,
  chat: ChatKey,
  { after, run }: { readonly after: string | undefined; readonly run: Run | undefined },
): Promise<Position> {
  if (after !== undefined) return knownPosition(services, chat, after)
  const { epoch } = await services.store.log.open(logName(chat))
  return { epoch, seq: run?.afterSeq ?? 0 }
}

async function runOf({ store }: Services, chat: ChatKey, runId: string): Promise<Run> {
  const run = isRunId(runId) ? await store.runs.get(chat.ownerId, runId) : undefined
  if (run?.chatId === chat.chatId) return run
  throw new ProblemError(
    404,
    'run-not-found',
    `Chat ${chat.chatId} has no run ${JSON.stringify(runId.slice(0, 128))}.`,
  )
}
