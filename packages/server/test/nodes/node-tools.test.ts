import { toolFactory } from '@throughline/agents'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { delegating } from '@throughline/testing/server/delegating-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { localChat } from '@throughline/testing/store/left-runs'
import { sharedStore } from '@throughline/testing/store/shared-store'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { entriesOf, handNode, untilWritten } from './hand-node.ts'

/** The tools `pay` and `look`, which count their calls. Only `look` is idempotent. */
function countedTools() {
  const counts = { pay: 0, look: 0 }
  const made = (key: 'pay' | 'look') =>
    tool({
      description: key,
      inputSchema: z.object({}),
      execute: async () => {
        counts[key] += 1
        return 'done'
      },
    })
  const tools = [toolFactory('pay', made('pay')), toolFactory('look', made('look'), { idempotent: true })]
  return { counts, tools }
}

const turns = { master: [[calling('pay', {})], [calling('look', {})], [saying('Done.')]] }

test('a node that could not beat for some time calls tools as soon as it can, if it still has the run', async () => {
  await using shared = await sharedStore()
  const { store } = shared
  const { counts, tools } = countedTools()
  const model = scriptedModel(turns)
  await using first = await handNode({ store, ...delegating({ model, tools }), clock: shared.now })
  shared.pass(10_001)
  await first.send()
  while ((await store.runs.unfinished()).length > 0);
  expect(counts).toEqual({ pay: 1, look: 1 })
})

test('a node whose run was taken while it could not beat calls idempotent tools only', async () => {
  await using shared = await sharedStore()
  const { store } = shared
  const { counts, tools } = countedTools()
  const held = Promise.withResolvers<void>()
  const model = scriptedModel({
    master: [
      async function* () {
        await held.promise
        yield calling('pay', {})
      },
      [calling('look', {})],
      [saying('Done.')],
    ],
  })
  await using first = await handNode({ store, ...delegating({ model, tools }), clock: shared.now })
  await first.send()
  shared.pass(16_000)
  await store.nodes.beat('another')
  expect((await store.runOwners.takeOrphans('another', 1)).runs).toHaveLength(1)
  held.resolve()
  while (counts.look === 0) await new Promise(setImmediate)
  expect(counts).toEqual({ pay: 0, look: 1 })
})

test('a node that cannot beat calls idempotent tools only, and the model reads why', async () => {
  await using shared = await sharedStore()
  let isCut = false
  const nodes = {
    ...shared.store.nodes,
    beat: (id: string) => (isCut ? Promise.reject(new Error('No way.')) : shared.store.nodes.beat(id)),
  }
  const store = { ...shared.store, nodes }
  const { counts, tools } = countedTools()
  const model = scriptedModel(turns)
  await using first = await handNode({ store, ...delegating({ model, tools }), clock: shared.now })
  isCut = true
  shared.pass(10_001)
  await first.send()
  while ((await store.runs.unfinished()).length > 0);
  expect(counts).toEqual({ pay: 0, look: 1 })
  expect(JSON.stringify(await entriesOf(store.log))).toContain('The tool pay was not called')
})

test('an approval goes on waiting when the node that asked leaves its runs to another one', async () => {
  await using shared = await sharedStore()
  const { store } = shared
  const { serverOptions } = asksApproval()
  await using first = await handNode({ store, ...serverOptions })
  await first.send()
  await untilWritten(store, 'tool-approval-request')
  const [asked] = (await entriesOf(store.log)).flatMap(({ chunk }) =>
    chunk.type === 'tool-approval-request' ? chunk.approvalId : [],
  )
  const [active] = first.services.runner.underWay()
  await first.node.leaveRuns()
  expect(await active?.ended).toBeUndefined()
  const { ownerId } = localChat('chat')
  expect(await store.approvals.find(ownerId, asked ?? '')).toMatchObject({ status: 'pending' })
})
