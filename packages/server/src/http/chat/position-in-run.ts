import { LogError, logName } from '@throughline/log'
import {
  type ChatKey,
  type Entry,
  formatPosition,
  type Position,
  ProblemError,
  parsePosition,
} from '@throughline/protocol'
import { hasAnswer, type Run } from '@throughline/store'
import { isRunEnd, runStart } from '../../stream/run-pages.ts'
import type { Services } from '../request/context.ts'
import type { AskedPosition } from '../respond/wire-form.ts'

/** Where a viewer joins a run. */
export interface PositionInRun {
  readonly run: Run
  /** The viewer has everything up to here. */
  readonly after: Position
  /** How many SSE events of the entry after the position the viewer has. */
  readonly events?: number
  /** The position is that of the run's last chunk. */
  readonly isAtEnd?: boolean
  /** The viewer has the beginning of the message from an earlier stream, and this stream goes on with it. */
  readonly continues?: boolean
  /** The last entry that was in the log when a viewer without a position came. */
  readonly joinedAt?: number
}

/** Returns the start of the active run of a chat; `undefined` when there is none. */
export async function startOfActiveRun(
  services: Services,
  chat: ChatKey,
): Promise<PositionInRun | undefined> {
  const { log } = services.store
  const run = await activeAnswer(services, chat)
  if (run === undefined) return undefined
  const { seq: joinedAt } = await log.open(logName(chat))
  return { run, after: await runStart(log, run), joinedAt }
}

/**
 * Finds the run that a position is in. Returns `undefined` when there is none. Throws a 410 problem for a position that is
 * not in the log.
 *
 * The end of one run is also the beginning of the next. There it depends on how the client sent the position. The id of
 * an event that it has seen (`Last-Event-ID`) means the run that it was watching. A position to begin at (`?after=`, such
 * as the `position` of a 202) means the next run, if there is one.
 */
export async function positionAt(
  services: Services,
  chat: ChatKey,
  asked: AskedPosition,
): Promise<PositionInRun | undefined> {
  const { store } = services
  const { ownerId } = chat
  // This comes before the log is read. So a run that is not active now has either ended, and is in the log, or it has not
  // begun, and then no client knows of it.
  const active = await activeAnswer(services, chat)
  const after = await knownPosition(services, chat, asked.position)
  const [before, next] = await entriesAround(services, chat, after)
  // The client has events of the next entry. So that entry belongs to the run that the client was watching.
  if (asked.events > 0) {
    const run = next && (await store.runs.get(ownerId, next.runId))
    return run && { run, after }
  }
  const watched = before && (await store.runs.get(ownerId, before.runId))
  const isAtEnd = before === undefined || (watched !== undefined && isRunEnd(before, watched))
  if (!isAtEnd || (asked.isLastSeen && watched !== undefined)) {
    return watched && { run: watched, after, isAtEnd }
  }
  const following = next === undefined ? active : await store.runs.get(ownerId, next.runId)
  if (following !== undefined && following.id !== watched?.id) return { run: following, after }
  return watched && { run: watched, after, isAtEnd }
}

/** Returns the active run of a chat, if it brings an answer. */
async function activeAnswer({ store }: Services, chat: ChatKey): Promise<Run | undefined> {
  const run = await store.runs.active(chat)
  return run !== undefined && hasAnswer(run) ? run : undefined
}

/** Returns the entries before and after a position. */
async function entriesAround(
  { store }: Services,
  chat: ChatKey,
  { epoch, seq }: Position,
): Promise<readonly [before: Entry | undefined, next: Entry | undefined]> {
  const name = logName(chat)
  const [next] = await store.log.read(name, { epoch, seq }, 1)
  if (seq === 0) return [undefined, next]
  try {
    const [before] = await store.log.read(name, { epoch, seq: seq - 1 }, 1)
    return [before, next]
  } catch (error) {
    // Everything before the position was trimmed.
    if (error instanceof LogError && error.code === 'unknown-position') return [undefined, next]
    throw error
  }
}

/** Reads a position that a client sent. Throws a 410 problem for a position that is not in the chat's log. */
export async function knownPosition(
  services: Pick<Services, 'store'>,
  chat: ChatKey,
  asked: string,
): Promise<Position> {
  const head = await services.store.log.open(logName(chat))
  const position = parsePosition(asked)
  if (position !== undefined && position.epoch === head.epoch && position.seq <= head.seq) return position
  throw await positionUnknown(services, chat, asked)
}

/** Returns the problem of a client that asks for a position which its chat does not have. */
export async function positionUnknown(
  { store }: Pick<Services, 'store'>,
  chat: ChatKey,
  asked: string,
): Promise<ProblemError> {
  const head = await store.log.open(logName(chat))
  return new ProblemError(
    410,
    'position-unknown',
    `Chat ${chat.chatId} has no position ${JSON.stringify(asked.slice(0, 100))}. Load its messages, then follow from the position they come with.`,
    { position: formatPosition(head) },
  )
}
