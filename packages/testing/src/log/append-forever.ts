import type { EntryDraft } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { testLog, textDraft } from './log-drafts.ts'

// This program runs in its own process, so that a test can kill it. It appends to the log `ada/chat` of the store in
// the folder that it is given. Several appends are under way at a time. When an append is acknowledged, the program
// prints the number of its last entry. The text of each entry holds its own number, and the first and the last number
// of its append.

const [, , folder = ''] = process.argv
const store = await openStore(folder)
const lease = await store.log.acquire(testLog('chat'))
let next = lease.head.seq + 1

await Promise.all(Array.from({ length: 4 }, () => appendForever()))

async function appendForever(): Promise<never> {
  for (;;) {
    const after = next - 1
    const entries = await store.log.append(lease, after, nextGroup())
    process.stdout.write(`${entries.at(-1)?.seq}\n`)
  }
}

function nextGroup(): EntryDraft[] {
  const first = next
  const last = first + (first % 5)
  next = last + 1
  // Some entries are large. So appends end at many positions in the file, and the journal is soon full.
  const filling = first % 7 === 0 ? 'x'.repeat(60_000) : ''
  return Array.from({ length: last - first + 1 }, (_, index) =>
    textDraft(`${first + index} of ${first} to ${last} ${index === 0 ? filling : ''}`),
  )
}
