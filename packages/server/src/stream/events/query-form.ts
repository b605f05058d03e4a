import {
  type ChatKey,
  type Chunk,
  type Entry,
  encodeSse,
  encodeSseComment,
  picturesIn,
  type QueryEvent,
  type QueryEventOf,
} from '@throughline/protocol'
import type { Files, Run, Store } from '@throughline/store'
import { pictureTypes } from '../../files/file-types.ts'
import { filesAddress } from '../../files/keep-file.ts'
import type { Pieces } from '../bytes/encoded-pages.ts'
import { plainEvent } from '../bytes/sse-events.ts'
import type { LateForm, RunForm } from '../run-form.ts'
import { isOfRun, type ViewSignals } from '../run-pages.ts'
import { type AtWaits, viewRun } from '../view-run.ts'
import { type QueryAnswer, type QueryLevel, QueryProjection } from './query-projection.ts'

/** The options of the form of the event API. */
export interface QueryFormOptions {
  readonly level: QueryLevel
  /** Where the screenshots of tool results are read from. */
  readonly files: Pick<Files, 'read'>
}

/** A run may have many screenshots. Once this much text has come together, it is sent before more are read. */
const maxPieceChars = 64 * 1024

const done = Buffer.from(encodeSseComment('done'))

/** Returns how a stream of the event API begins before its run. */
export function lateQuery(headers: Readonly<Record<string, string>>, now: () => Date): LateForm {
  return {
    headers,
    refusal({ message: error }) {
      const event: QueryEvent = { type: 'error', timestamp: now().toISOString(), error }
      return [plainEvent(event), done]
    },
  }
}

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

/**
 * Returns the first picture whose address is in a tool's output, in base64; `null` when there is none. Only files of the
 * run's own chat are read, because the output may have been written by a stranger.
 */
async function readScreenshot(
  files: Pick<Files, 'read'>,
  chat: ChatKey,
  chunk: Chunk,
): Promise<string | null> {
  if (chunk.type !== 'tool-output-available') return null
  const folder = filesAddress(chat.chatId)
  const address = picturesIn(chunk.output).find(each => each.startsWith(folder))
  if (address === undefined) return null
  // A picture that cannot be read must not break the stream. It is left out, like one that was deleted.
  const file = await files.read(chat, address.slice(folder.length)).catch(() => undefined)
  if (file === undefined || !pictureTypes.has(file.mediaType)) return null
  return Buffer.from(file.bytes).toString('base64')
}

/** What waiting for an answer needs. */
interface AwaitOptions extends ViewSignals {
  readonly approvals: AtWaits
}

/**
 * Waits for the end of a run or, with `approvals: 'end'`, until the run waits for nothing but approvals. Returns the
 * answer as far as it has come then. Throws when a signal ends the wait earlier.
 */
export async function awaitAnswer(
  store: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  options: AwaitOptions,
): Promise<QueryAnswer> {
  const projection = new QueryProjection({ run, level: 'step' })
  // A form that writes no bytes: it only collects.
  const form: RunForm = {
    readsWholeRun: true,
    encode(entries: readonly Entry[]) {
      for (const entry of entries) if (isOfRun(entry, run)) projection.write(entry)
      return []
    },
    end: [],
    waiting: { isVisible: () => true, encode: () => [] },
  }
  const view = viewRun(store, run, { ...options, form })
  while ((await view.next()).done !== true);
  return projection.answer
}
