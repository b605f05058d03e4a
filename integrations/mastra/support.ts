import { Agent, type AgentConfig } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import type { ChunkType } from '@mastra/core/stream'
import { createTool } from '@mastra/core/tools'
import { Memory } from '@mastra/memory'
import type { MastraChunk } from '@throughline/agents/testing'
import { z } from 'zod'

const weather = createTool({
  id: 'weather',
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    if (city === 'Atlantis') throw new Error('There is no such city.')
    return { city, sky: 'clear' }
  },
})

const count = createTool({
  id: 'count',
  description: 'Tells how far it is.',
  inputSchema: z.object({}),
  execute: async (_, { writer }) => {
    await writer?.write({ percent: 50 })
    return { percent: 100 }
  },
})

export interface SupportOptions {
  /** Is called by the tool `meet`, which returns what it returns. */
  readonly meet?: (name: string) => Promise<string>
  readonly memory?: Memory
}

/** Returns an agent that is not registered in a `Mastra`. */
export function lonelySupport(model: unknown, { meet, memory }: SupportOptions = {}): Agent {
  const meeting = createTool({
    id: 'meet',
    description: 'Waits for others.',
    inputSchema: z.object({ name: z.string() }),
    execute: async ({ name }) => ({ met: await meet?.(name) }),
  })
  return new Agent({
    id: 'support',
    name: 'Support',
    description: 'Knows where every order is.',
    instructions: 'You are support.',
    model: mastraModel(model),
    tools: { weather, count, meet: meeting },
    ...(memory && { memory }),
  })
}

/** Returns an agent that is registered in a `Mastra`, as Mastra's documentation says. */
export function support(model: unknown, options?: SupportOptions): Agent {
  return registered(lonelySupport(model, options))
}

/** Returns an agent that remembers, and the memory in which it does. */
export function rememberingSupport(model: unknown) {
  const memory = new Memory({ options: { lastMessages: 20 } })
  return { memory, agent: support(model, { memory }) }
}

/**
 * Returns an agent whose tools wait: `remove` for approval, and `form` for data. It is not registered. What is removed is
 * added to the list.
 */
export function lonelyCareful(model: unknown, removed: string[] = []): Agent {
  const remove = createTool({
    id: 'remove',
    description: 'Removes things.',
    inputSchema: z.object({ what: z.string() }),
    requireApproval: true,
    execute: async ({ what }) => {
      removed.push(what)
      return { removed: what }
    },
  })
  const form = createTool({
    id: 'form',
    description: 'Asks for data.',
    inputSchema: z.object({}),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ name: z.string() }),
    execute: async (_, { agent }) => agent?.suspend({ question: 'Who?' }),
  })
  const instructions = 'You are support.'
  const tools = { remove, form, weather }
  return new Agent({ id: 'careful', name: 'Careful', instructions, model: mastraModel(model), tools })
}

export function careful(model: unknown, removed?: string[]): Agent {
  return registered(lonelyCareful(model, removed))
}

/** Returns an agent that can ask another one. */
export function supervisor(model: unknown, helper: Agent): Agent {
  const instructions = 'You are boss.'
  return registered(
    new Agent({ id: 'boss', name: 'Boss', instructions, model: mastraModel(model), agents: { helper } }),
  )
}

// By default Mastra prints errors.
function registered(agent: Agent): Agent {
  new Mastra({ agents: { agent }, logger: false })
  return agent
}

type MastraModel = Extract<AgentConfig['model'], { readonly specificationVersion: 'v4' }>

// Mastra takes models of the AI SDK's version 4. The AI SDK that it was built with knows one finish reason less than ours,
// so the types differ.
function mastraModel(model: unknown): MastraModel {
  if (!isModel(model)) throw new TypeError('A model of version 4 is needed.')
  return model
}

function isModel(value: unknown): value is MastraModel {
  return (
    typeof value === 'object' &&
    value !== null &&
    'specificationVersion' in value &&
    value.specificationVersion === 'v4'
  )
}

/** Only for the compiler: Mastra's chunks are those that the adapter reads. */
export function chunkOf(chunk: Extract<ChunkType, { type: MastraChunk['type'] }>): MastraChunk {
  return chunk
}
