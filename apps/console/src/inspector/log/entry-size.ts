import type { Entry } from '@throughline/protocol'

const encoder = new TextEncoder()

/** Returns the size of an entry in bytes: as JSON, the form in which it is sent. */
export function entrySize(entry: Entry): number {
  return encoder.encode(JSON.stringify(entry)).length
}
