import type { EntryDraft } from '@throughline/protocol/entry'
import { openStore } from '@throughline/store/open-store'
import { testLog, textDraft } from './log-drafts.ts'

// A program of its own, to be killed: it appends to the log `ada/chat` of the store in the folder it is given,
// several appends at a time, and writes the last number of each to its output once it is acknowledged. Each
// entry says which one it is, and from where to where its append goes.

const [, , folder = ''] = process.argv
const store = await openStore(folder)
const lease = await store.log.acquire(testLog('chat'))
let next = lease.head.seq + 1

await Promise.all(Array.from({ length: 4 }, () => appendForever()))

async function appendForever(): Promise<never> {
  for (;;) {
    const entries = await store.log.append(lease, nextGroup())
    process.stdout.write(`${entries.at(-1)?.seq}\n`)
  }
}

function nextGroup(): EntryDraft[] {
  const first = next
  const last = first + (first % 5)
  next = last + 1
  // Some are large, so that groups end anywhere in the file and its journal is soon full.
  const filling = first % 7 === 0 ? 'x'.repeat(60_000) : ''
  return Array.from({ length: last - first + 1 }, (_, index) =>
    textDraft(`${first + index} of ${first} to ${last} ${index === 0 ? filling : ''}`),
  )
}
