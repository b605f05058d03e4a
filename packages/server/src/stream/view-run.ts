import type { Entry, Position } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { type MissedOptions, withoutMissedUiEvents } from './missed-ui-events.ts'
import type { Pieces } from './pieces.ts'
import type { RunForm } from './run-form.ts'
import { cutOff, followRun, runStart, type ViewSignals } from './run-pages.ts'
import { watchWaits } from './waits/watch-waits.ts'

/**
 * What a stream does while its run waits for decisions or outputs from outside and for nothing else: it ends, it stays
 * open, or it ends only where outputs alone are missing, for clients that cannot send decisions.
 */
export type AtWaits = 'end' | 'wait' | 'end-for-outputs'

/** How a viewer sees a run. */
export interface RunView extends ViewSignals {
  readonly form: RunForm
  readonly approvals: AtWaits
  /** The viewer has everything up to here; by default nothing of the run. */
  readonly after?: Position | undefined
  /** The viewer has the run's last entry already. */
  readonly isAtEnd?: boolean | undefined
  /**
   * Only for a viewer who gave no position: the last entry that was in the log when they came. UI events up to it are
   * left out. A viewer with a position was there before, and gets everything after it.
   */
  readonly joinedAt?: number | undefined
  /** What replaces such a UI event; by default nothing. */
  readonly insteadOfMissed?: ((entry: Entry) => readonly Entry[]) | undefined
}

/**
 * Shows a run in one of its wire forms, to its end. The bytes are the same whenever the viewer joins, except for UI
 * events from before that time.
 *
 * Returns whether the run has ended or waits for something from outside. Throws when a signal ends the view earlier.
 */
export async function* viewRun(
  store: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  { form, approvals, after: seen, isAtEnd = false, joinedAt = 0, insteadOfMissed, ...signals }: RunView,
): AsyncGenerator<Pieces, 'ended' | 'waiting', undefined> {
  if (isAtEnd) {
    yield form.end
    return 'ended'
  }
  if (form.start !== undefined) yield form.start
  const after = form.readsWholeRun === true ? undefined : seen
  const options = { ...signals, after: after ?? (await runStart(store.log, run)) }
  const endOfWait = watchedEnd(store, run, { form, after: options.after, approvals })
  const atOnce = await endOfWait?.([])
  if (atOnce !== undefined) {
    yield atOnce
    return 'waiting'
  }
  const pages = followRun(store.log, run, options)
  const show = { form, endOfWait, missed: { joinedAt, instead: insteadOfMissed } }
  // This is no `for await`, because that would hold the last page while it waits for the next one.
  try {
    let next = await pages.next()
    while (next.done !== true) {
      const isWaiting = yield* showPage(next.value, show)
      if (isWaiting) return 'waiting'
      next = awaited
      next = await pages.next()
    }
    if (!next.value) throw cutOff()
  } finally {
    await pages.return(false)
  }
  yield form.end
  return 'ended'
}

const awaited: IteratorResult<readonly Entry[], boolean> = { done: true, value: false }

interface ShowPage {
  readonly form: RunForm
  readonly endOfWait: EndOfWait | undefined
  readonly missed: MissedOptions
}

/** Shows one page. Returns whether the stream has ended, because its run waits. */
async function* showPage(
  page: readonly Entry[],
  { form, endOfWait, missed }: ShowPage,
): AsyncGenerator<Pieces, boolean, undefined> {
  for (const part of withoutMissedUiEvents(page, missed)) {
    const encoded = form.encode(part)
    if (Symbol.asyncIterator in encoded) yield* encoded
    else if (encoded.length > 0) yield encoded
    // Whoever writes text does not wait. Most pages have nothing but text, and skip the look.
    const end = part.every(isDelta) ? undefined : await endOfWait?.(part)
    if (end !== undefined) {
      yield end
      return true
    }
  }
  return false
}

function isDelta({ chunk: { type } }: Entry): boolean {
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-input-delta'
}

/** Takes the entries that the viewer was shown next. Returns the end of the stream if the run waits now. */
type EndOfWait = (entries: readonly Entry[]) => Promise<Pieces | undefined>

function watchedEnd(
  store: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  { form, after, approvals }: Pick<RunView, 'form' | 'approvals'> & { readonly after: Position },
): EndOfWait | undefined {
  const { waiting } = form
  if (waiting === undefined || approvals === 'wait') return undefined
  const watch = watchWaits(store, run, {
    after,
    isVisible: call => (approvals === 'end' || call.kind === 'output') && waiting.isVisible(call),
  })
  return async entries => {
    const awaited = await watch.shown(entries)
    return awaited.length === 0 ? undefined : waiting.encode(awaited)
  }
}
