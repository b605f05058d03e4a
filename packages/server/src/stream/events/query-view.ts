import type { Entry } from '@throughline/protocol/entry'
import type { QueryEvent } from '@throughline/protocol/query-event'
import { encodeSse, encodeSseComment } from '@throughline/protocol/sse'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import { runPages, runStart, type ViewSignals } from '../run-pages.ts'
import { watchApprovals } from '../waits/watch-approvals.ts'
import { beginQuery, projectQuery, type QueryLevel, type QueryState } from './query-projection.ts'
import { readScreenshot } from './query-screenshot.ts'

export interface QueryView {
  readonly run: Run
  readonly level: QueryLevel
}

const maxPieceChars = 64 * 1024

const done = Buffer.from(encodeSseComment('done'))

/** A run as events, from its start to its end. Throws when a signal ends it before. */
export async function* viewQuery(
  store: Pick<Store, 'log' | 'files'>,
  { run, level }: QueryView,
  signals: ViewSignals,
): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  let state = beginQuery({ run, level })
  let waiting = ''
  const after = await runStart(store.log, run)
  for await (const page of runPages(store.log, run, { after, ...signals })) {
    for (const entry of page) {
      const projected = projectQuery(state, entry)
      state = projected.state
      for (const event of projected.events) {
        const shown =
          event.type === 'tool_result' ? await withScreenshot(store, run, { event, entry }) : event
        waiting += encodeSse({ data: JSON.stringify(shown) })
      }
      // One page of a long run may hold many pictures: they are not all kept for a viewer at once.
      if (waiting.length < maxPieceChars) continue
      yield [Buffer.from(waiting)]
      waiting = ''
    }
    if (waiting !== '') yield [Buffer.from(waiting)]
    waiting = ''
  }
  yield [done]
}

/**
 * Waits for a run's end, or until it waits for nothing but approvals, unless `isPatient`. Returns all there is to say
 * about it then.
 */
export async function awaitQuery(
  store: Pick<Store, 'log' | 'approvals'>,
  { run, isPatient }: { readonly run: Run; readonly isPatient: boolean },
  signals: ViewSignals,
): Promise<QueryState> {
  let state = beginQuery({ run, level: 'step' })
  const after = await runStart(store.log, run)
  const watch = isPatient ? undefined : watchApprovals(store, run, { after, isVisible: () => true })
  for await (const page of runPages(store.log, run, { after, ...signals })) {
    for (const entry of page) state = projectQuery(state, entry).state
    const awaited = (await watch?.shown(page)) ?? []
    if (awaited.length > 0) return state
  }
  return state
}

async function withScreenshot(
  { files }: Pick<Store, 'files'>,
  run: Run,
  { event, entry }: { readonly event: QueryEvent & { type: 'tool_result' }; readonly entry: Entry },
): Promise<QueryEvent> {
  return { ...event, screenshot_base64: await readScreenshot(files, run, entry.chunk) }
}
