import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { batchDeltas, logName } from '@throughline/log'
import {
  type Chunk,
  createId,
  type Entry,
  type EntryDraft,
  isChatId,
  isMessageId,
  isOwnerId,
  isRunId,
  type MessageId,
} from '@throughline/protocol'
import { encodeChunks } from '@throughline/server/testing'
import { openStore } from '@throughline/store'
import { idOf } from '@throughline/testing/log/id-of'
import type { Goal, Measurement, Section } from '../report.ts'

const deltaCount = 2_000
/** How many deltas arrive in one turn of the event loop. The server section uses the same number. */
const deltasPerTurn = 10
const sizes: readonly { readonly chars: number; readonly goal: Goal }[] = [
  { chars: 10, goal: { atMost: 2 } },
  { chars: 50, goal: { atMost: 1.5 } },
]

/**
 * Measures the bytes of a sub-agent's text on the chunk stream. Each chunk of a sub-agent is in an envelope; the same
 * text of the master has none.
 */
export async function measureSubAgentBytes(): Promise<Section> {
  const measurements: Measurement[] = []
  const notes: string[] = []
  for (const { chars, goal } of sizes) {
    const deltas = Array.from({ length: deltaCount }, () => 'x'.repeat(chars))
    const batched = await asTheServerBatches(deltas)
    const label = `${deltaCount.toLocaleString('en')} deltas of ${chars} characters`
    measurements.push(comparedBytes(`${label}, as the server batches them`, batched, goal))
    measurements.push(comparedBytes(`${label}, each alone`, deltas, goal))
    notes.push(`  ${label}: ${batched.length} entries.`)
  }
  return {
    title: 'Sub-agents: bytes on the chunk stream against the same text of the master',
    notes: [
      'A sub-agent’s chunk travels in an envelope that names its message; it costs the same for a short delta as for a',
      'long one. At full speed the server joins the deltas that come while a commit is under way:',
      ...notes,
      'Alone, as from a slow source, every delta has an envelope of its own.',
    ],
    columns: { ours: 'sub-agent', other: 'master' },
    measurements,
  }
}

const runId = createId(isRunId, 'run')
const answerId = createId(isMessageId, 'msg')
// As long as the ids that the server creates.
const subAgentMessageId = idOf(isMessageId, 's4kZ9q')
const epoch = '0123456789abcdef'

function comparedBytes(name: string, deltas: readonly string[], goal: Goal): Measurement {
  const ours = bytesOf(subAgentMessageId, deltas)
  const other = bytesOf(answerId, deltas)
  return { name, ours: kilobytes(ours), other: kilobytes(other), ratio: ours / other, goal }
}

function bytesOf(messageId: MessageId, deltas: readonly string[]): number {
  const entries = deltas.map((delta, index): Entry => {
    return { seq: index + 1, at: 0, runId, messageId, chunk: deltaChunk(delta) }
  })
  const form = { subAgents: 'separate', hasVersionNote: false } as const
  return encodeChunks(
    epoch,
    { id: runId, answerId },
    form,
  )(entries).reduce((sum, { length }) => sum + length, 0)
}

/** Returns the deltas after batching. Uses a real database, because each commit takes time in which deltas are joined. */
async function asTheServerBatches(deltas: readonly string[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-bench-'))
  const store = await openStore(folder)
  try {
    const lease = await store.log.acquire(benchLog())
    const written: EntryDraft[] = []
    const batch = batchDeltas(async (drafts: readonly EntryDraft[]) => {
      await store.log.append(lease, written.length, drafts)
      written.push(...drafts)
    })
    for (const [index, delta] of deltas.entries()) {
      if (index % deltasPerTurn === 0) await setImmediate()
      await batch.emit({ runId, messageId: subAgentMessageId, chunk: deltaChunk(delta) })
    }
    await batch.flush()
    return written.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.delta : ''))
  } finally {
    await store.close()
    await rm(folder, { recursive: true })
  }
}

function benchLog() {
  return logName({ ownerId: createId(isOwnerId, 'owner'), chatId: createId(isChatId, 'chat') })
}

function deltaChunk(delta: string): Chunk {
  return { type: 'text-delta', id: 'text-1', delta }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}
