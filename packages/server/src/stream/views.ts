import { follow } from '@throughline/log/follow'
import { LogError, type LogStore, logName } from '@throughline/log/log-store'
import type { Entry } from '@throughline/protocol/entry'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { doneFrame, type EncodeEntry, encodeChunks, encodeEntry, isRunEnd, resetFrame } from './encode.ts'

interface View {
  readonly after: Position
  readonly signal: AbortSignal
}

type Frames = AsyncGenerator<readonly Uint8Array[], void, undefined>

/** One run as a stream of chunks, to its end. It contains the same however and whenever it is joined. */
export async function* viewRun(log: LogStore, run: Run, { after, signal }: View): Frames {
  const encode = encodeChunks(after.epoch, run)
  for await (const page of follow(log, logName(run.ownerId, run.chatId), { after, signal })) {
    const end = page.findIndex(entry => isRunEnd(entry, run))
    const frames = encodeAll(end === -1 ? page : page.slice(0, end + 1), encode)
    if (end === -1) {
      if (frames.length > 0) yield frames
      continue
    }
    yield [...frames, doneFrame]
    return
  }
}

/** Every entry of a chat from a position on. Does not end by itself, except with a reset. */
export async function* viewLog(
  log: LogStore,
  chat: { readonly ownerId: OwnerId; readonly chatId: ChatId },
  { after, signal }: View,
): Frames {
  const name = logName(chat.ownerId, chat.chatId)
  const encode = encodeEntry(after.epoch)
  try {
    for await (const page of follow(log, name, { after, signal })) yield encodeAll(page, encode)
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetFrame(await log.open(name))]
  }
}

function encodeAll(entries: readonly Entry[], encode: EncodeEntry): readonly Uint8Array[] {
  return entries.flatMap(entry => encode(entry) ?? [])
}
