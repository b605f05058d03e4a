import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Chunk, Entry, Position } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { Pieces } from './bytes/encoded-pages.ts'
import { type MissedOptions, withoutMissedUiEvents } from './missed-ui-events.ts'
import type { RunForm } from './run-form.ts'
import { cutOff, followRun, isOfRun, runStart, type ViewSignals } from './run-pages.ts'
import { type AwaitedCall, awaitedCalls, foldWaits, noWaits, type RunWaits } from './run-waits.ts'

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
  // No `for await`: it would hold the last page while it waits for the next one.
  try {
    let next = await pages.next()
    while (next.done !== true) {
      const isWaiting = yield* showPage(next.value, show)
      if (isWaiting) return 'waiting'
      next = released // lets V8 collect the page while this waits
      next = await pages.next()
    }
    if (!next.value) throw cutOff()
  } finally {
    await pages.return(false)
  }
  yield form.end
  return 'ended'
}

const released: IteratorResult<readonly Entry[], boolean> = { done: true, value: false }

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

interface WaitView {
  readonly form: RunForm
  /** Where the run waited. */
  readonly at: Position
}

/**
 * Returns how a stream ended where its run waited for something from outside, as it ended then: it follows from the log,
 * also when that has come since. Returns `undefined` if the run did not wait there.
 */
export async function endAtWait(
  log: LogStore,
  run: Run,
  { form, at }: WaitView,
): Promise<Pieces | undefined> {
  const { waiting } = form
  const awaited = awaitedCalls(await waitsAt(log, run, at))
  if (waiting === undefined || awaited.length === 0) return undefined
  if (!awaited.every(call => waiting.isVisible(call))) return undefined
  const after = { epoch: at.epoch, seq: run.afterSeq }
  for await (const page of readBetween(log, logName(run), { after, upTo: at.seq })) {
    // The viewer has these bytes. The form has to see the entries, because its end depends on them.
    form.encode(page)
  }
  return waiting.encode(awaited)
}

/** Tells a viewer where a run waits for nothing but decisions and outputs from outside. */
interface WaitWatch {
  /**
   * Takes the entries that the viewer was shown next. Returns the calls for which the run waits now. Returns nothing while
   * the run does anything else, or if the viewer can do nothing about one of the calls, or if one was settled already.
   */
  shown(entries: readonly Entry[]): Promise<readonly AwaitedCall[]>
}

/** What watching a run for a viewer needs. */
interface WatchOptions {
  /** Where the viewer joins the run. */
  readonly after: Position
  /** Whether the viewer's form shows the call, so that the viewer can give what it waits for. */
  readonly isVisible: (call: AwaitedCall) => boolean
}

/**
 * Watches a run for a viewer. What the run is busy with follows from all of its entries. For a viewer who joined in the
 * middle, the earlier entries are read once, and only when there is something to wait for.
 */
function watchWaits(
  { log, approvals }: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  { after, isVisible }: WatchOptions,
): WaitWatch {
  const { ownerId, id } = run
  let waits = after.seq <= run.afterSeq ? noWaits : undefined
  let { seq } = after

  async function waitsAfterNext(entries: readonly Entry[]): Promise<RunWaits> {
    seq = entries.at(-1)?.seq ?? seq
    if (waits !== undefined) return waitsAfter(waits, entries, run)
    const isAsked = entries.some(({ chunk }) => isRequest(chunk))
    const isAwaited = isAsked || (entries.length === 0 && (await approvals.pending(ownerId, id)).size > 0)
    return isAwaited ? waitsAt(log, run, { epoch: after.epoch, seq }) : noWaits
  }

  return {
    async shown(entries) {
      const next = await waitsAfterNext(entries)
      if (next !== noWaits) waits = next
      const awaited = awaitedCalls(next)
      if (awaited.length === 0 || !awaited.every(isVisible)) return []
      // What settles a call is in the store a moment before it is in the log.
      const pending = await approvals.pending(ownerId, id)
      return awaited.every(call => pending.has(call.id)) ? awaited : []
    },
  }
}

/** Returns what a run was busy with at a position. */
async function waitsAt(log: LogStore, run: Run, { epoch, seq }: Position): Promise<RunWaits> {
  const name = logName(run)
  let waits = noWaits
  for await (const page of readBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo: seq }))
    waits = waitsAfter(waits, page, run)
  return waits
}

function waitsAfter(before: RunWaits, entries: readonly Entry[], run: Run): RunWaits {
  return entries.filter(entry => isOfRun(entry, run)).reduce(foldWaits, before)
}

function isRequest({ type }: Chunk): boolean {
  return type === 'tool-approval-request' || type === 'data-output-request'
}
