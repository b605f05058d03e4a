import { follow } from '@throughline/log/follow'
import { LogError, type LogStore, logName } from '@throughline/log/log-store'
import type { Entry } from '@throughline/protocol/entry'
import type { ChatKey } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { doneFrame, encodeLog, resetFrame } from './chunks/encode.ts'
import { blankUiEvent, withoutMissedUiEvents } from './missed-ui-events.ts'
import type { RunForm } from './run-form.ts'
import { runPages, type ViewSignals } from './run-pages.ts'
import type { ApprovalWatch } from './waits/watch-approvals.ts'

interface View extends ViewSignals {
  readonly after: Position
  /**
   * Only of a viewer who gave no position: the last entry that was in the log when they came. UI events up to it are not
   * for them. Who gives a position was there before, and gets everything after it, once.
   */
  readonly joinedAt?: number | undefined
}

interface RunView extends View {
  readonly form: RunForm
  /** With a watch, the view also ends where the run waits for nothing but approvals, if its form can tell that. */
  readonly watch?: ApprovalWatch | undefined
}

type Frames = AsyncGenerator<readonly Uint8Array[], void, undefined>

/**
 * One run in one of its wire forms, to its end. It contains the same however and whenever it is joined, but for UI
 * events that came before. Returns whether the run has ended or waits. Throws when a signal ends the view before.
 */
export async function* viewRun(
  log: LogStore,
  run: Run,
  { form, watch, joinedAt = 0, ...options }: RunView,
): AsyncGenerator<readonly Uint8Array[], 'ended' | 'waiting', undefined> {
  const atStart = await framesOfWait([], { form, watch })
  if (atStart.length > 0) {
    yield atStart
    return 'waiting'
  }
  for await (const page of withoutMissedUiEvents(runPages(log, run, options), { joinedAt })) {
    const frames = await form.encode(page)
    if (frames.length > 0) yield frames
    const wait = await framesOfWait(page, { form, watch })
    if (wait.length > 0) {
      yield wait
      return 'waiting'
    }
  }
  yield form.end
  return 'ended'
}

/** The end of a stream whose run waits after these entries; nothing while the stream has to go on. */
async function framesOfWait(
  entries: readonly Entry[],
  { form, watch }: Pick<RunView, 'form' | 'watch'>,
): Promise<readonly Uint8Array[]> {
  const awaited = (await watch?.shown(entries)) ?? []
  return awaited.length === 0 ? [] : (form.waiting?.(awaited) ?? [])
}

/** What is left of a run after its last chunk. */
export async function* viewEnd(): Frames {
  yield [doneFrame]
}

/** Every entry of a chat from a position on. Does not end by itself, except with a reset. */
export async function* viewLog(log: LogStore, chat: ChatKey, { joinedAt = 0, ...options }: View): Frames {
  const name = logName(chat)
  const encode = encodeLog(options.after.epoch)
  const pages = follow(log, name, options)
  try {
    for await (const page of withoutMissedUiEvents(pages, { joinedAt, instead: blankUiEvent })) {
      const frames = encode(page)
      if (frames.length > 0) yield frames
    }
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    yield [resetFrame(await log.open(name))]
  }
}
