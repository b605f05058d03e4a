import type { Lease, LogStore } from '@throughline/log'
import type { Chunk, EntryDraft } from '@throughline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendAtEnd } from './append-at-end.ts'
import type { CreateLogStore } from './create-log-store.ts'
import { draftOf, endDraft, testLog, textDraft } from './log-drafts.ts'

const log = testLog('chat')

/** Reading returns exactly what was appended, at every position and at any time. */
export function contentTests(create: CreateLogStore): void {
  test('a read answers the entries after its position, in order, and at most as many as its limit', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const entries = await appendAtEnd(
      store,
      lease,
      Array.from({ length: 9 }, (_, index) => textDraft(`${index}`)),
    )
    for (let seq = 0; seq <= 9; seq += 1) {
      for (const limit of [0, 1, 2, 8, 9, 10, 10_000]) {
        const page = await store.read(log, { epoch: lease.head.epoch, seq }, limit)
        expect(page).toEqual(entries.slice(seq, seq + limit))
      }
    }
  })

  test('texts, emoji, half characters, control characters and nested tool outputs come back as they went in', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const appended = await appendAtEnd(store, lease, oddDrafts)
    expect(appended).toMatchObject(oddDrafts.map((draft, index) => ({ seq: index + 1, ...draft })))
    expect(await store.read(log, lease.head, 100)).toEqual(appended)
  })

  test('any JSON comes back as it went in, watched or not', async () => {
    await using context = await create()
    const { store } = context
    await fc.assert(
      fc.asyncProperty(
        fc.array(jsonChunk, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (chunks, isWatched) => {
          const lease = await store.acquire(log)
          const unlisten = isWatched ? store.onAppend(log, () => {}) : () => {}
          const drafts = chunks.map(chunk => draftOf(chunk))
          const appended = await appendAtEnd(store, lease, drafts)
          const read = await store.read(log, lease.head, 100)
          unlisten()
          expect(bytesOf(read)).toEqual(bytesOf(appended))
          expect(read.map(({ chunk }) => JSON.stringify(chunk))).toEqual(
            chunks.map(chunk => JSON.stringify(chunk)),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  test('writer and readers get the same entry, without what JSON cannot say', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const unlisten = store.onAppend(log, () => {})
    const output = {
      at: new Date(0),
      kept: [undefined, Number.NaN, -0],
      left: undefined,
      map: new Map([[1, 2]]),
    }
    const [appended] = await appendAtEnd(store, lease, [
      draftOf({ type: 'tool-output-available', toolCallId: 'call', output }),
    ])
    const [watched] = await store.read(log, lease.head, 1)
    unlisten()
    const [stored] = await store.read(log, lease.head, 1)
    const expected = { at: '1970-01-01T00:00:00.000Z', kept: [null, null, 0], map: {} }
    for (const entry of [appended, watched, stored])
      expect(entry).toStrictEqual({
        seq: 1,
        at: expect.any(Number),
        ...draftOf({ type: 'tool-output-available', toolCallId: 'call', output: expected }),
      })
  })

  test('the bytes at a position never change, whatever happens to the log and to the objects that were appended', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const unlisten = store.onAppend(log, () => {})
    const output = { rows: [1, 2, 3] }
    // The keys are in another order than the store's own.
    const { runId, messageId, chunk } = draftOf({ type: 'tool-output-available', toolCallId: 'call', output })
    const mixed = { chunk, messageId, runId, note: 'not of the log' }
    const bytes = bytesOf(await appendAtEnd(store, lease, [textDraft('one'), mixed, endDraft]))
    output.rows.push(4)
    await expectBytes(store, lease, bytes)
    await appendAtEnd(store, lease, [mixed])
    await appendAtEnd(store, await store.acquire(log), [mixed])
    await expectBytes(store, lease, bytes)
    unlisten()
    await expectBytes(store, lease, bytes)
    expect(bytes[1]?.replace(/"at":\d+/, '"at":0')).toBe(
      '{"seq":2,"at":0,"runId":"run","messageId":"answer","chunk":{"type":"tool-output-available","toolCallId":"call","output":{"rows":[1,2,3]}}}',
    )
  })

  test('an append may be larger than any call stack', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const unlisten = store.onAppend(log, () => {})
    await appendAtEnd(store, lease, [endDraft])
    const many = Array.from({ length: 150_000 }, () => endDraft)
    expect(await appendAtEnd(store, lease, many)).toHaveLength(150_000)
    expect(await store.read(log, { epoch: lease.head.epoch, seq: 150_000 }, 10)).toHaveLength(1)
    unlisten()
  })
}

async function expectBytes(store: LogStore, { head }: Lease, bytes: readonly string[]): Promise<void> {
  for (const [index, expected] of bytes.entries()) {
    const page = await store.read(log, { epoch: head.epoch, seq: index }, 1)
    expect(bytesOf(page)).toEqual([expected])
  }
}

function bytesOf(entries: readonly unknown[]): string[] {
  return entries.map(entry => JSON.stringify(entry))
}

const oddTexts = [
  '你好，世界。日本語のテキスト 한국어',
  '👩‍👩‍👧‍👦🏳️‍🌈 é é',
  'half of a pair \ud83d',
  '\u0000\u0001\u001f\u007f\u2028\u2029\ufeff',
  'line\r\nbreaks\rand\ttabs',
  `quotes " ' \\ and --; drop table logs`,
  '',
]

const oddDrafts: readonly EntryDraft[] = [
  ...oddTexts.map(text => textDraft(text)),
  draftOf({
    type: 'tool-output-available',
    toolCallId: 'call',
    output: {
      deep: [
        {
          rows: [
            [1, 2.5, -1e21],
            [null, true, '表'],
          ],
          empty: [{}, []],
        },
      ],
      '键 🙂': oddTexts,
    },
  }),
  draftOf({ type: 'tool-output-available', toolCallId: 'call', output: null }),
  draftOf({ type: 'data-chart', id: 'chart', data: { points: [{ x: 0, y: 'ø' }] } }),
  draftOf({ type: 'finish', messageMetadata: { senderName: 'Ada', own: { nested: ['✓'] } } }),
]

const jsonChunk: fc.Arbitrary<Chunk> = fc.oneof(
  fc.record({ type: fc.constant('text-delta'), id: fc.string(), delta: fc.string({ unit: 'binary' }) }),
  fc.jsonValue().map((output): Chunk => ({ type: 'tool-output-available', toolCallId: 'call', output })),
  fc.jsonValue().map((data): Chunk => ({ type: 'data-any', data })),
)
