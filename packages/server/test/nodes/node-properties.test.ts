import { type Lease, logName } from '@throughline/log'
import type { RunId } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { type SharedStore, sharedStore } from '@throughline/testing/store/shared-store'
import { startOf, testRun } from '@throughline/testing/store/store-rows'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { nodeStore } from '../../src/nodes/node-work.ts'
import { ServerNode } from '../../src/nodes/server-node.ts'

const logger = pino({ level: 'silent' })

/**
 * A node whose work is to hold the leases of its runs. It can be paused right before it takes a lease, which is the worst
 * moment.
 */
function leaseHolder({ store, now }: SharedStore) {
  const held = new Map<RunId, { readonly run: Run; readonly lease: Lease; readonly ended: Promise<void> }>()
  let gate: PromiseWithResolvers<void> | undefined
  const take = async (run: Run) => {
    await gate?.promise
    held.set(run.id, { run, lease: await node.log.acquire(logName(run)), ended: Promise.resolve() })
  }
  const node = new ServerNode(
    { store, logger, clock: now, maxDeaths: 5 },
    {
      underWay: () => [...held.values()].map(({ run, ended }) => ({ run, ended, isAnswered: false })),
      takeOver: take,
      takeOverDamaged: async () => undefined,
      abandon: ({ id }) => void held.delete(id),
      deliverLeft: async () => undefined,
    },
  )
  return {
    node,
    held,
    /** Begins a run, if the chat is free. */
    async begin(run: Run) {
      if (await nodeStore(store, node).runs.claim(run, startOf(run))) await take(run)
    },
    pause() {
      gate ??= Promise.withResolvers<void>()
    },
    resume() {
      gate?.resolve()
      gate = undefined
    },
  }
}

type Holder = ReturnType<typeof leaseHolder>

/** Lets every node that has a lease of a run append, and returns those that could. */
async function writersOf({ store }: SharedStore, holders: readonly Holder[], run: Run) {
  const writers: Holder[] = []
  for (const holder of holders) {
    const lease = holder.held.get(run.id)?.lease
    if (lease === undefined) continue
    const { seq } = await store.log.open(logName(run))
    const draft = { runId: run.id, messageId: run.answerId, chunk: { type: 'start-step' } } as const
    const appended = await holder.node.log.append(lease, seq, [draft]).catch(() => undefined)
    // A node that cannot write gives the run up.
    if (appended === undefined) holder.held.delete(run.id)
    else writers.push(holder)
  }
  return writers
}

const nodeCount = 3
const runs = ['one', 'two'].map(id => testRun(id, { chatId: `chat-${id}` }))
const index = fc.nat(nodeCount - 1)
const step = fc.oneof(
  fc.record({ type: fc.constant('beat'), by: index }),
  fc.record({ type: fc.constant('sweep'), by: index }),
  fc.record({ type: fc.constant('pause'), by: index }),
  fc.record({ type: fc.constant('resume'), by: index }),
  fc.record({ type: fc.constant('begin'), by: index, run: fc.constantFrom(...runs) }),
  fc.record({ type: fc.constant('pass'), ms: fc.constantFrom(1_000, 5_000, 9_000, 16_000) }),
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Does one step. What a paused node has begun goes on in the background; its promise is kept in `later`. */
async function play(
  shared: SharedStore,
  holders: readonly Holder[],
  { asked, later }: { asked: Step; later: Promise<unknown>[] },
) {
  if ('ms' in asked) return shared.pass(asked.ms)
  const holder = holders[asked.by]
  if (holder === undefined) return
  if (asked.type === 'pause') return holder.pause()
  const work =
    'run' in asked
      ? holder.begin(asked.run).catch(() => undefined)
      : asked.type === 'beat'
        ? holder.node.beat()
        : asked.type === 'sweep'
          ? holder.node.sweep()
          : Promise.resolve(holder.resume())
  later.push(work)
  await Promise.race([work, new Promise(resolve => setTimeout(resolve, 15))])
}

test('a run has at most one node that can append, and in the end every run has one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), index, async (steps, survivor) => {
      await using shared = await sharedStore()
      const holders = Array.from({ length: nodeCount }, () => leaseHolder(shared))
      for (const { node } of holders) await node.beat()
      const later: Promise<unknown>[] = []
      for (const asked of steps) {
        await play(shared, holders, { asked, later })
        for (const run of runs) expect((await writersOf(shared, holders, run)).length).toBeLessThanOrEqual(1)
      }
      // All but one die. What they had begun before may still come, in any order.
      for (const holder of holders) holder.resume()
      await Promise.all(later)
      const last = holders[survivor]
      if (last === undefined) throw new RangeError('No such node.')
      // The survivor beats all the time, so it does not suspect that the database was away.
      for (let beats = 0; beats < 8; beats += 1) {
        shared.pass(3_000)
        await last.node.beat()
      }
      await last.node.sweep()
      const left = await shared.store.runs.unfinished()
      // A node that was paused may have taken a lease by mistake. The node that lost it so finds that with its next append.
      for (const run of left) await writersOf(shared, holders, run)
      for (let sweeps = 0; sweeps < 2; sweeps += 1) {
        await last.node.sweep()
        shared.pass(5_000)
        await last.node.beat()
      }
      await last.node.sweep()
      for (const run of left)
        expect((await writersOf(shared, holders, run)).map(({ node }) => node.id)).toEqual([last.node.id])
    }),
    { numRuns: 20 },
  )
}, 60_000)
