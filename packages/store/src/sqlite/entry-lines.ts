import type { SqlRow } from '../sql.ts'

/** A draft as it is written: its chunk is JSON. */
interface WrittenDraft {
  readonly runId: string
  readonly messageId: string
  readonly json: string
}

/**
 * Writes entries as one text, one line each: the run, the message and the chunk. Ids have no spaces, and JSON has no line
 * breaks. So an append is one row, whatever it holds.
 */
export function encodeEntries(drafts: readonly WrittenDraft[]): string {
  const [first] = drafts
  // A shortcut: almost every append has one entry.
  if (first !== undefined && drafts.length === 1) return lineOf(first)
  return drafts.map(lineOf).join('\n')
}

/** Returns the entries of such a text as rows of the table `log_entries`. */
export function decodeEntries(body: string, { first, at }: { first: number; at: number }): readonly SqlRow[] {
  return body.split('\n').map((line, index) => {
    const runEnd = line.indexOf(' ')
    const messageEnd = line.indexOf(' ', runEnd + 1)
    return {
      seq: first + index,
      at,
      run_id: line.slice(0, runEnd),
      message_id: line.slice(runEnd + 1, messageEnd),
      chunk: line.slice(messageEnd + 1),
    }
  })
}

function lineOf({ runId, messageId, json }: WrittenDraft): string {
  return `${runId} ${messageId} ${json}`
}
