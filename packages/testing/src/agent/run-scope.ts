import { type Agent, defaultLimits, type ToolFactory, ToolFactoryRegistry } from '@throughline/agents'
import { noContext, noCounts, type RunScope, SubAgentRegistry } from '@throughline/agents/internal'
import { createId, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'

export interface TestScopeOptions extends Partial<Omit<RunScope, 'tools' | 'subAgents'>> {
  readonly tools?: readonly ToolFactory[]
  readonly subAgents?: readonly Agent[]
}

/** Returns the scope of a run without a server: nothing is saved, and nobody approves anything. */
export function testRunScope({ tools = [], subAgents = [], ...options }: TestScopeOptions = {}): RunScope {
  return {
    ownerId: createId(isOwnerId, 'owner'),
    chatId: createId(isChatId, 'chat'),
    runId: createId(isRunId, 'run'),
    context: noContext,
    tools: new ToolFactoryRegistry(tools),
    subAgents: new SubAgentRegistry(subAgents),
    limits: defaultLimits,
    counts: noCounts(),
    approvals: {
      open: async () => ({ id: 'approval', decided: Promise.resolve({ approved: false }) }),
      attach: async () => ({ decided: Promise.resolve({ approved: false }) }),
      withdraw: async () => undefined,
    },
    outputs: {
      open: async () => ({
        id: 'output',
        given: Promise.resolve({ type: 'error', errorText: 'Nobody is here.' }),
      }),
      withdraw: async () => undefined,
    },
    now: () => new Date(0),
    newMessageId: async () => createId(isMessageId, 'msg'),
    emit: async () => undefined,
    flush: async () => undefined,
    save: async () => undefined,
    keepFile: async () => '/file',
    onEnd: () => undefined,
    stop: () => undefined,
    ...options,
  }
}
