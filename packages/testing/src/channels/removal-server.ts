import { toolFactory } from '@throughline/agents'
import { tool } from 'ai'
import { z } from 'zod'
import { calling, saying, scriptedModel, type Turns } from '../agent/scripted-model.ts'
import { type DelegationOptions, startDelegation } from '../server/delegating-server.ts'

export interface RemovalOptions extends Partial<Omit<DelegationOptions, 'tools' | 'model'>> {
  readonly turns?: Turns
}

/**
 * Starts a server with the tool `remove`, which needs approval. The master announces the call, makes it, and ends.
 */
export async function startRemoval({ turns = removalTurns, ...options }: RemovalOptions = {}) {
  const removed: string[] = []
  const remove = tool({
    description: 'Removes things.',
    inputSchema: z.object({ what: z.string() }),
    async execute({ what }) {
      removed.push(what)
      return { removed: what }
    },
  })
  const server = await startDelegation({
    model: scriptedModel(turns),
    tools: [toolFactory('remove', remove, { needsApproval: true })],
    ...options,
  })
  return { server, removed, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const removalTurns: Turns = {
  master: [[saying('I want to remove it.'), calling('remove', { what: 'all' })], [saying('Done.')]],
}
