import { follow } from '@throughline/log/follow'
import { LogError, type LogStore, logName } from '@throughline/log/log-store'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { doneFrame, encodeLog, encodeRun, isRunEnd, resetFrame } from './encode.ts'

interface View {
  readonly after: Position
  readonly signal: AbortSignal
}

type Frames = AsyncGenerator<readonly Uint8Array[], void, undefined>

/**
 * One run as a stream of chunks, to its end. It contains the same however and whenever it is joined. Throws
 * when the signal aborts before.
 */
export async function* viewRun(log: LogStore, run: Run, { after, signal }: View): Frames {
  const encode = encodeRun(after.epoch, run)
  for await (const page of follow(log, logName(run.ownerId, run.chatId), { after, signal })) {
    const end = page.findIndex(entry => isRunEnd(entry, run))
    const frames = encode(end === -1 ? page : page.slice(0, end + 1))
    if (end === -1) {
      if (frames.length > 0) yield frames
      continue
    }
    yield [...frames, doneFrame]
    return
  }
  // A clean end would look like the end of the answer: a viewer who is still there must come back for the rest.
  throw new DOMException('The stream was cut off before the end of its run.', 'AbortError')
}

/** What is left of a run after its last chunk. */
export async function* viewEnd(): Frames {
  yield [doneFrame]
}

/** Every entry of a chat from a position on. Does not end by itself, except with a reset. */
export async function* viewLog(
  log: LogStore,
  chat: { readonly ownerId: OwnerId; readonly chatId: ChatId },
  { after, signal }: View,
): Frames {
  const name = logName(chat.ownerId, chat.chatId)
  const encode = encodeLog(after.epoch)
  try {
    for await (const page of follow(log, name, { after, signal })) yield encode(page)
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetFrame(await log.open(name))]
  }
}
