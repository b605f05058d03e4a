import {
  type Entry,
  encodeSse,
  encodeSseComment,
  type QueryEvent,
  type QueryEventOf,
} from '@throughline/protocol'
import type { Files, Run } from '@throughline/store'
import type { Pieces } from '../pieces.ts'
import { isOfRun } from '../run-entries.ts'
import type { RunForm } from '../run-form.ts'
import { type QueryLevel, QueryProjection } from './query-projection.ts'
import { readScreenshot } from './query-screenshot.ts'

/** The options of the form of the event API. */
export interface QueryFormOptions {
  readonly level: QueryLevel
  /** Where the screenshots of tool results are read from. */
  readonly files: Pick<Files, 'read'>
}

/** A run may have many screenshots. Once this much text has come together, it is sent before more are read. */
const maxPieceChars = 64 * 1024

const done = Buffer.from(encodeSseComment('done'))

/** A run as events of the event API, from its start. The stream stays open while the run waits for approvals. */
export function queryForm(run: Run, { level, files }: QueryFormOptions): RunForm {
  const projection = new QueryProjection({ run, level })

  async function* encode(entries: readonly Entry[]): AsyncGenerator<Pieces, void, undefined> {
    let text = ''
    for (const entry of entries) {
      if (!isOfRun(entry, run)) continue
      for (const event of projection.write(entry)) {
        const sent = event.type === 'tool_result' ? await withScreenshot(event, entry) : event
        text += encodeSse({ data: JSON.stringify(sent) })
      }
      if (text.length < maxPieceChars) continue
      yield [Buffer.from(text)]
      text = ''
    }
    if (text !== '') yield [Buffer.from(text)]
  }

  async function withScreenshot(event: QueryEventOf<'tool_result'>, { chunk }: Entry): Promise<QueryEvent> {
    return { ...event, screenshot_base64: await readScreenshot(files, run, chunk) }
  }

  return { readsWholeRun: true, encode, end: [done] }
}
