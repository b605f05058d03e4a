import { toolFactory } from '@throughline/agents/run/tool-factory-registry'
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

test('a node that has lost its beat calls idempotent tools only, and the model reads why', async () => {
  await using shared = await sharedStore()
  const { store } = shared
  const { counts, tools } = countedTools()
  const model = scriptedModel({ master: [[calling('pay', {})], [calling('look', {})], [saying('Done.')]] })
  await using first = await handNode({ store, ...delegating({ model, tools }), clock: shared.now })
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
