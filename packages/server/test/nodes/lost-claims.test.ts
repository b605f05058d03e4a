import { isMessageId } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { messageIdOf } from '@throughline/testing/log/entries-of'
import { localChat } from '@throughline/testing/store/left-runs'
import { type SharedStore, sharedStores } from '@throughline/testing/store/shared-store'
import { describe, expect, test } from 'vitest'
import { planDelete } from '../../src/changes/plans.ts'
import type { SubmittedMessage } from '../../src/engine/saved-history.ts'
import type { ImportedHistory } from '../../src/runs/import-history.ts'
import { entriesOf, handNode } from './hand-node.ts'

// What has no answer is written at once. Its node may lose the chat all the same, between the claim and the lease of the log.

const quick = scriptedAgent('assistant', [say('Yes.'), finish])
const history: ImportedHistory = {
  ...localChat('imported'),
  agent: 'assistant',
  messages: [said('user', 'one'), said('assistant', 'two'), said('user', 'three')],
}

describe.each(sharedStores)('on $name', ({ sharedStore }) => {
  describe.each(['goes down', 'is taken for dead'])('when a node that has just claimed a chat %s', how => {
    test('a change of messages is refused with 503, and can be made elsewhere', async () => {
      await using shared = await sharedStore()
      await using world = await losingClaims(shared, how)
      await world.first.send()
      await expect.poll(() => shared.store.runs.unfinished()).toEqual([])
      world.lose()
      await expect(deleteFirst(world.first)).rejects.toMatchObject({ status: 503 })
      expect(await deleteFirst(await world.elsewhere())).toBe(true)
      expect(await shared.store.messages.outline(localChat('chat'))).toEqual([])
    })

    test('a history from elsewhere is accepted, and another node saves all of it', async () => {
      await using shared = await sharedStore()
      await using world = await losingClaims(shared, how)
      world.lose()
      expect(await world.first.services.runner.importHistory(history)).toBe(true)
      await world.elsewhere()
      expect(await shared.store.messages.outline(history)).toHaveLength(3)
      expect(await entriesOf(shared.store.log, 'imported')).toHaveLength(3)
    })
  })
})

/** A node that, from `lose` on, loses what it claims before it has the lease of the log, and another one. */
async function losingClaims(shared: SharedStore, how: string) {
  const { store } = shared
  await using opened = new AsyncDisposableStack()
  let isLosing = false
  async function loseNow(): Promise<void> {
    if (!isLosing) return
    if (how === 'goes down') return first.node.refuseNew()
    shared.pass(15_000)
    await second()
  }
  const runs: typeof store.runs = {
    ...store.runs,
    async claim(...claim) {
      const isClaimed = await store.runs.claim(...claim)
      await loseNow()
      return isClaimed
    },
  }
  const first = opened.use(await handNode({ store: { ...store, runs }, agents: [quick] }))
  const kept = opened.move()
  /** Starts another node, which takes over what the first one has left. */
  async function second() {
    const other = kept.use(await handNode({ store, agents: [quick] }))
    await other.node.sweep()
    return other
  }
  return {
    first,
    lose() {
      isLosing = true
    },
    /** Returns another node, when what the first one has left is over. */
    async elsewhere() {
      await first.node.close()
      const other = await second()
      await expect.poll(() => store.runs.unfinished()).toEqual([])
      return other
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function deleteFirst({ services }: Awaited<ReturnType<typeof handNode>>): Promise<boolean> {
  return services.runner.change(localChat('chat'), messages => {
    const id = messages[0]?.id
    return (isMessageId(id) && planDelete(messages, id)) || []
  })
}

function said(role: 'user' | 'assistant', text: string): SubmittedMessage {
  return { id: messageIdOf(text), role, parts: [{ type: 'text', text }], metadata: {} }
}
