import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { replayPowerLoss } from '../../src/power-loss/replay.ts'
import { type Operation, readTrace } from '../../src/power-loss/trace.ts'

// A trace of real servers, commands and viewers, recorded by torture/src/record-trace.ts. The store that is started on what
// a power loss has left of it is the one of today.
const trace = readTrace(brotliDecompressSync(readFileSync(new URL('trace.br', import.meta.url))))

/** Cuts the power at some places of a trace, until something is found that must never happen. */
async function firstFinding(
  operations: readonly Operation[],
  { losses = 20, ...at }: { readonly place?: number; readonly losses?: number } = {},
): Promise<string | undefined> {
  await using folder = await temporaryFolder()
  for (let seed = 1; seed <= losses; seed += 1) {
    const { violations } = await replayPowerLoss(operations, {
      ...at,
      seed,
      folder: `${folder.path}/${seed}`,
    })
    const [first] = violations
    if (first !== undefined) return `${first.kind}: ${first.detail}`
  }
  return undefined
}

test('a power loss at any moment loses nothing that was confirmed, and changes nothing that was shown', async () => {
  expect(await firstFinding(trace)).toBeUndefined()
})

test('the trace has everything that can be lost: answers, files, names, deleted chats, backups, restarts', () => {
  const requests = trace.flatMap(operation => (operation.type === 'note' ? [operation.note] : []))
  const count = (word: RegExp) => requests.filter(note => word.test(JSON.stringify(note))).length
  expect(count(/"method":"POST".*messages/)).toBeGreaterThan(10)
  for (const word of [
    /"\/api\/approvals/,
    /api\/channels\/hook/,
    /"block"/,
    /"PATCH"/,
    /"DELETE"/,
    /data:text/,
    /backup-made/,
    /log\?after/,
    /\/stop/,
  ])
    expect(count(word), String(word)).toBeGreaterThan(0)
  expect(trace.filter(({ type }) => type === 'sync-end').length).toBeGreaterThan(100)
})

describe('is found', () => {
  test('a database that does not sync its commits', async () => {
    const planted = withoutSyncs(path => path.includes('throughline.sqlite'))
    expect(await firstFinding(planted)).toMatch(/^lost: /)
  })

  test('a file whose name is not synced', async () => {
    const planted = withoutSyncs(path => /\/data\/files\/[^/]+\/[^/]+$/.test(path))
    expect(await firstFinding(planted)).toMatch(/^lost: The file /)
  })

  test('a new folder whose name is not synced in the folder above it', async () => {
    const planted = withoutSyncs(path => /\/data\/files\/[^/]+$/.test(path))
    expect(await firstFinding(planted)).toMatch(/^lost: The file /)
  })

  test('a backup whose name is not synced', async () => {
    const planted = withoutSyncs(path => path === '/backups')
    expect(await firstFinding(planted)).toMatch(/^lost: The backup is gone/)
  })

  test('what a killed server has written, and the next one shows and does not sync', async () => {
    const { killed, shown } = shownAfterKill()
    const planted = withoutSyncs((path, index) => path.endsWith('-wal') && index > killed)
    const place = planted.indexOf(trace[shown] ?? { type: 'note', note: {} }) + 1
    expect(await firstFinding(trace, { place: shown + 1, losses: 5 })).toBeUndefined()
    expect(await firstFinding(planted, { place })).toMatch(/^lost: The chat was named Not confirmed/)
  })

  test('an entry that is shown before it is committed', async () => {
    expect(await firstFinding(shownEarly())).toMatch(/^(lost|wrong-bytes): /)
  })
})

/** Returns where a server is killed before a sync, and where the next one shows what it has found. */
function shownAfterKill(): { readonly killed: number; readonly shown: number } {
  const find = (word: RegExp, from: number) =>
    trace.findIndex(
      (each, index) => index > from && each.type === 'note' && word.test(JSON.stringify(each.note)),
    )
  const killed = find(/Not confirmed/, 0)
  const asked = find(/"method":"GET","path":"[^"]*power-3-0"/, killed)
  return { killed, shown: trace.findIndex(({ type }, index) => index > asked && type === 'send') }
}

/** Returns the trace of a server that leaves some syncs out. */
function withoutSyncs(isLeftOut: (path: string, index: number) => boolean): readonly Operation[] {
  const paths = new Map<number, string>()
  const leftOut = new Set<string>()
  return trace.filter((operation, index) => {
    if (operation.type === 'create' || operation.type === 'make-folder')
      paths.set(operation.inode, operation.path)
    if (operation.type === 'sync-begin' && isLeftOut(paths.get(operation.inode) ?? '', index))
      leftOut.add(operation.sync)
    if (operation.type !== 'sync-begin' && operation.type !== 'sync-end') return true
    return !leftOut.has(operation.sync)
  })
}

/** Returns the trace of a server that shows everything a few operations too early. */
function shownEarly(): readonly Operation[] {
  const early = trace.map((operation, index) => ({
    operation,
    at: operation.type === 'send' ? index - 20.5 : index,
  }))
  return early.toSorted((a, b) => a.at - b.at).map(({ operation }) => operation)
}
