import { createMemoryLogStore, type LogStore, logName } from '@throughline/log'
import type { Store } from '@throughline/store/testing'
import { countReachable } from '@throughline/testing/faults/collect-garbage'
import { settle } from '@throughline/testing/faults/held-writes'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { endDraft, textDraft } from '@throughline/testing/log/log-drafts'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { anyRun } from '@throughline/testing/stream/any-run'
import { afterEach, expect, test } from 'vitest'
import type { Pieces } from '../../src/stream/bytes/encoded-pages.ts'
import { Heartbeats, sendStream } from '../../src/stream/bytes/send-stream.ts'
import type { StreamSink } from '../../src/stream/bytes/stream-sink.ts'
import { chunkForm } from '../../src/stream/chunks/chunk-stream.ts'
import { queryForm } from '../../src/stream/events/query-form.ts'
import { viewLog } from '../../src/stream/log/view-log.ts'
import type { RunForm } from '../../src/stream/run-form.ts'
import type { ViewSignals } from '../../src/stream/run-pages.ts'
import { viewRun } from '../../src/stream/view-run.ts'

const leave = { current: new AbortController() }
afterEach(() => leave.current.abort())

test.each([
  { name: 'the log of a chat', view: viewOfLog },
  { name: 'a run in chunks', view: viewOfRun(seen => chunkForm(anyRun, { ...seen, subAgents: 'separate' })) },
  { name: 'a run as events', view: viewOfRun(() => queryForm(anyRun, { level: 'delta', files: noFiles })) },
])('a viewer of $name who waits holds no entry and no bytes that it was sent', async ({ view }) => {
  await using temporary = await temporaryStore()
  const { store } = temporary
  const { log, lease, read } = await copyingLog()
  const { sink, written } = forgetfulSink()
  leave.current = new AbortController()
  const signals = { signal: leave.current.signal, closing: new AbortController().signal }
  const heartbeats = new Heartbeats({ heartbeatMs: 60_000 })
  const pages = view({ store, log, epoch: lease.head.epoch, signals })
  const sent = sendStream(sink, pages, { heartbeats, maxStallMs: 60_000 }).catch(() => undefined)
  for (const round of [1, 2, 3, 4]) {
    await appendAtEnd(log, lease, [textDraft('a'), textDraft('b'), textDraft('c')])
    await settle()
    expect(read.length, `entries read in round ${round}`).toBeGreaterThanOrEqual(round * 4)
    expect(written.length, `writes in round ${round}`).toBeGreaterThan(round)
    expect(await countReachable(read), `entries held in round ${round}`).toBe(0)
    // The opening of the stream is a constant.
    expect(await countReachable(written.slice(1)), `bytes held in round ${round}`).toBe(0)
  }
  await appendAtEnd(log, lease, [endDraft])
  leave.current.abort()
  await sent
})

const noFiles = { read: async () => undefined }

interface Viewed {
  readonly store: Store
  readonly log: LogStore
  readonly epoch: string
  readonly signals: ViewSignals
}

type View = (viewed: Viewed) => AsyncIterable<Pieces, unknown>

function viewOfLog({ log, epoch, signals }: Viewed): AsyncIterable<Pieces, unknown> {
  return viewLog(log, anyRun, { after: { epoch, seq: 0 }, ...signals })
}

interface SeenNothing {
  readonly seen: { readonly after: { readonly epoch: string; readonly seq: number }; readonly events: number }
  readonly continues: boolean
}

function viewOfRun(formOf: (seen: SeenNothing) => RunForm): View {
  return ({ log, store, epoch, signals }) => {
    const form = formOf({ seen: { after: { epoch, seq: 0 }, events: 0 }, continues: false })
    return viewRun({ ...store, log }, anyRun, { form, approvals: 'wait', ...signals })
  }
}

/** A log whose readers get copies. So only the readers can hold them. */
async function copyingLog() {
  const store = createMemoryLogStore()
  const read: WeakRef<object>[] = []
  const log: LogStore = {
    ...store,
    async read(...parameters) {
      const page = structuredClone(await store.read(...parameters))
      if (page.length > 0) read.push(new WeakRef(page), ...page.map(entry => new WeakRef(entry)))
      return page
    },
  }
  return { log, lease: await store.acquire(logName(anyRun)), read }
}

/** Takes everything at once, and holds nothing. */
function forgetfulSink() {
  const written: WeakRef<object>[] = []
  const sink: StreamSink = {
    isClosed: false,
    isEmpty: true,
    write(bytes) {
      written.push(new WeakRef(bytes))
      return true
    },
    drained: async () => undefined,
    end: () => undefined,
    cut: () => undefined,
  }
  return { sink, written }
}
