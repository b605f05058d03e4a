import { follow } from '@throughline/log/follow'
import { LogError, type LogStore, logName } from '@throughline/log/log-store'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { doneFrame, encodeLog, resetFrame } from './encode.ts'
import type { RunForm } from './run-form.ts'
import { runPages, type ViewSignals } from './run-pages.ts'

interface View extends ViewSignals {
  readonly after: Position
}

interface RunView extends View {
  readonly form: RunForm
}

type Frames = AsyncGenerator<readonly Uint8Array[], void, undefined>

/**
 * One run in one of its wire forms, to its end. It contains the same however and whenever it is joined. Throws
 * when a signal ends it before.
 */
export async function* viewRun(log: LogStore, run: Run, { form, ...options }: RunView): Frames {
  for await (const page of runPages(log, run, options)) {
    const frames = await form.encode(page)
    if (frames.length > 0) yield frames
  }
  yield form.end
}

/** What is left of a run after its last chunk. */
export async function* viewEnd(): Frames {
  yield [doneFrame]
}

/** Every entry of a chat from a position on. Does not end by itself, except with a reset. */
export async function* viewLog(
  log: LogStore,
  chat: { readonly ownerId: OwnerId; readonly chatId: ChatId },
  options: View,
): Frames {
  const name = logName(chat.ownerId, chat.chatId)
  const encode = encodeLog(options.after.epoch)
  try {
    for await (const page of follow(log, name, options)) yield encode(page)
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetFrame(await log.open(name))]
  }
}
