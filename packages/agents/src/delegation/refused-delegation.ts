import { serverSentence } from '@throughline/protocol/internal'
import { type ToolSet, tool } from 'ai'
import { z } from 'zod'
import type { AgentFrame } from '../run/agent-frame.ts'
import { subAgentToolKey } from '../run/sub-agent-key.ts'
import { toolFactory } from '../run/tool-factory-registry.ts'
import { wrapTool } from '../run/wrap-tool.ts'
import { refusal } from './guard-call.ts'

/**
 * Returns, for an agent that may delegate to nobody, a tool `subAgent` that always refuses. The model is not told about
 * it. A model that calls it anyway reads a refusal like any other, and not an error of the AI SDK.
 */
export function refusedDelegation({ toolKeys, agent, run }: AgentFrame): ToolSet {
  if (toolKeys.has(subAgentToolKey)) return {}
  const refused = refusal('NOT_ALLOWED', serverSentence('nobody-to-ask', { caller: agent.name }))
  const refusing = tool({
    title: 'Sub-agent',
    description: 'Not allowed here.',
    inputSchema: z.looseObject({}),
    execute: async () => refused,
  })
  const maxOutputChars = run.limits.maxToolOutputChars
  return { [subAgentToolKey]: wrapTool(toolFactory(subAgentToolKey, refusing), { maxOutputChars }) }
}
