import { type Entry, isRecord } from '@throughline/protocol'
import { fit, pad } from '../text/fit.ts'
import type { Paint } from '../text/look.ts'
import { inOneLine } from '../text/plain-text.ts'
import { describeChunk } from './describe-chunk.ts'
import { joinDeltas, type Row } from './join-deltas.ts'

/** How lines look on this output. `columns` is its width; `undefined` when it is not a screen. */
export interface ReplayOptions {
  readonly paint: Paint
  readonly columns: number | undefined
}

// The width when the output is not a screen: wide enough for nearly everything.
const columnsOfNoScreen = 160
const whoColumns = 24

/**
 * Yields a log in words. Each entry is one line, and so are deltas that follow each other. A line has the time, the
 * milliseconds since the line before, the number of the entry, the speaker, and what the entry says.
 */
export async function* replayLines(
  pages: AsyncIterable<readonly Entry[]>,
  { paint, columns = columnsOfNoScreen }: ReplayOptions,
): AsyncGenerator<string, void, undefined> {
  const names = new Map<string, string>()
  let before = 0
  for await (const row of joinDeltas(pages)) {
    const { first, last } = row
    const name = nameIn(first)
    if (name !== undefined) names.set(first.messageId, name)
    const when = `${pad(timeText(first.at), 24)} ${gapText(before, first.at).padStart(9)}`
    const head = `${when} ${numberText(row).padStart(9)}  `
    const who = pad(fit(whoText(first, names), whoColumns), whoColumns)
    const room = Math.max(40, columns - head.length - whoColumns - 2)
    yield `${paint('faint', head)}${paint('name', who)}  ${fit(wordsOf(row), room)}`
    before = last.at
  }
}

/** An entry without a time has 0. */
function timeText(at: number): string {
  return at === 0 ? '-' : new Date(at).toISOString()
}

function gapText(before: number, at: number): string {
  return before === 0 || at === 0 ? '-' : `${at < before ? '' : '+'}${at - before} ms`
}

function numberText({ first, last }: Row): string {
  return first === last ? String(first.seq) : `${first.seq}-${last.seq}`
}

function wordsOf({ first, last, chunk }: Row): string {
  const words = describeChunk(chunk)
  if (first === last || first.at === 0) return words
  const [kind = '', ...rest] = words.split(' ')
  return `${kind} over ${last.at - first.at} ms ${rest.join(' ')}`
}

function whoText({ messageId }: Entry, names: ReadonlyMap<string, string>): string {
  const name = names.get(messageId)
  return name === undefined ? messageId : `${name} ${messageId}`
}

/** Returns the name of the speaker when this entry begins a message. */
function nameIn({ chunk }: Entry): string | undefined {
  const metadata =
    chunk.type === 'start'
      ? chunk.messageMetadata
      : chunk.type === 'data-message' && 'data' in chunk && isRecord(chunk.data)
        ? chunk.data['metadata']
        : undefined
  const { senderName = undefined } = isRecord(metadata) ? metadata : {}
  if (typeof senderName === 'string' && senderName !== '') return inOneLine(senderName)
  return chunk.type === 'data-message' ? 'You' : undefined
}
