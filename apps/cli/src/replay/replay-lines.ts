import { type Chunk, type Entry, isRecord } from '@throughline/protocol'
import { fit, pad } from '../text/fit.ts'
import type { Paint } from '../text/look.ts'
import { inOneLine, jsonLine } from '../text/plain-text.ts'

/** How lines look on this output. `columns` is its width; `undefined` when it is not a screen. */
interface ReplayOptions {
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

/** One entry, or several deltas of the same part joined into one. */
interface Row {
  readonly first: Entry
  readonly last: Entry
  readonly chunk: Chunk
}

/** Joins deltas of one part that follow each other. A text is easier to read on one line than on a hundred. */
async function* joinDeltas(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<Row, void, undefined> {
  let row: Row | undefined
  for await (const entries of pages) {
    for (const entry of entries) {
      const joined = row === undefined ? undefined : joinedChunk(row, entry)
      if (row !== undefined && joined === undefined) yield row
      row =
        row === undefined || joined === undefined
          ? { first: entry, last: entry, chunk: entry.chunk }
          : { first: row.first, last: entry, chunk: joined }
    }
  }
  if (row !== undefined) yield row
}

function joinedChunk({ last, chunk: before }: Row, { messageId, chunk }: Entry): Chunk | undefined {
  if (last.messageId !== messageId) return undefined
  if (before.type === 'text-delta' && chunk.type === 'text-delta' && before.id === chunk.id)
    return { ...before, delta: before.delta + chunk.delta }
  if (before.type === 'reasoning-delta' && chunk.type === 'reasoning-delta' && before.id === chunk.id)
    return { ...before, delta: before.delta + chunk.delta }
  const isInput = before.type === 'tool-input-delta' && chunk.type === 'tool-input-delta'
  if (isInput && before.toolCallId === chunk.toolCallId)
    return { ...before, inputTextDelta: before.inputTextDelta + chunk.inputTextDelta }
  return undefined
}

/** Returns a chunk in words, complete and on one line. */
function describeChunk(chunk: Chunk): string {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return `${kindOf(chunk)} ${jsonLine(chunk.delta)}`
    case 'text-start':
    case 'reasoning-start':
      return `${kindOf(chunk)} begins`
    case 'text-end':
    case 'reasoning-end':
      return `${kindOf(chunk)} ends`
    case 'source-url':
      return `source ${chunk.url}`
    case 'source-document':
      return `source ${jsonLine(chunk.title)}`
    case 'file':
    case 'reasoning-file':
      return `file of type ${chunk.mediaType}`
    case 'start-step':
      return 'step begins'
    case 'finish-step':
      return 'step ends'
    case 'reset-step':
      return 'step is made again'
    case 'start':
      return 'message begins'
    case 'message-metadata':
      return `metadata ${jsonLine(chunk.messageMetadata)}`
    case 'finish':
      return `message ends: ${chunk.messageMetadata?.status ?? 'finished'}${tokensOf(chunk)}`
    case 'abort':
      return `message ends: ${chunk.reason ?? 'stopped'}`
    case 'error':
      return `message ends: failed: ${jsonLine(chunk.errorText)}`
    case 'custom':
      return `custom ${chunk.kind}`
    case 'steering-message':
      return 'message to the running agent'
    default:
      return chunk.type.startsWith('tool-') ? describeToolChunk(chunk) : describeData(chunk)
  }
}

function describeToolChunk(chunk: Chunk): string {
  switch (chunk.type) {
    case 'tool-input-start':
      return `call of ${chunk.toolName} begins`
    case 'tool-input-delta':
      return `input ${inOneLine(chunk.inputTextDelta)}`
    case 'tool-input-available':
      return `call of ${chunk.toolName} with ${jsonLine(chunk.input)}`
    case 'tool-input-error':
      return `call of ${chunk.toolName} with a bad input: ${jsonLine(chunk.errorText)}`
    case 'tool-output-available':
      return `${chunk.preliminary === true ? 'progress' : 'result'} ${jsonLine(chunk.output)}`
    case 'tool-output-error':
      return `call failed: ${jsonLine(chunk.errorText)}`
    case 'tool-output-denied':
      return 'call was not allowed'
    case 'tool-approval-request':
      return 'call waits for approval'
    case 'tool-approval-response':
      return chunk.approved ? 'call was approved' : 'call was denied'
    default:
      return chunk.type
  }
}

function describeData(chunk: Chunk): string {
  if (!('data' in chunk)) return chunk.type
  const { type, data } = chunk
  if (type === 'data-message' && isRecord(data) && Array.isArray(data['parts'])) {
    const texts = data['parts'].flatMap(part =>
      isRecord(part) && 'text' in part ? [String(part['text'])] : [],
    )
    return `says ${jsonLine(texts.join('\n\n'))}`
  }
  if (type === 'data-step' && isRecord(data)) {
    const took = data['durationMs'] === undefined ? '' : ` after ${data['durationMs']} ms`
    return `step ${data['number']}, ${jsonLine(data['title'])}: ${data['status']}${took}`
  }
  return `${type.slice('data-'.length)} ${jsonLine(data)}`
}

function kindOf({ type }: Chunk): string {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function tokensOf({ messageMetadata }: Extract<Chunk, { type: 'finish' }>): string {
  const { usage } = messageMetadata ?? {}
  return usage === undefined ? '' : `, ${usage.totalTokens} tokens`
}
