import { tool } from 'ai'
import { z } from 'zod'
import { currentFrame } from '../run/agent-frame.ts'
import { modes } from '../run/request-context.ts'
import { subAgentToolKey, type ToolFactory } from '../run/tool-factory-registry.ts'
import { delegate } from './delegate.ts'

/** The input of the tool. */
export const subAgentCallSchema = z.object({
  name: z.string().normalize('NFC').min(1).max(128).describe('The name of the agent.'),
  task: z
    .string()
    .min(1)
    .describe('What it shall do, complete in itself: it does not see this conversation.'),
  context: z.record(z.string(), z.unknown()).optional().describe('Facts it needs, such as addresses.'),
  options: z.object({ mode: z.enum(modes).optional().describe('A narrower mode to work in.') }).optional(),
})

/** The tool with which agents delegate, masters and sub-agents alike. There is no other way. */
export const subAgentTool: ToolFactory = {
  key: subAgentToolKey,
  description: 'Hands a task to a specialised agent and waits for its result.',
  make: () =>
    tool({
      title: 'Sub-agent',
      description:
        'Hand a task to another agent, which works on its own and shows its work to the user. Answers with a ' +
        'summary of its result, or with a refusal that says why it was not asked.',
      inputSchema: subAgentCallSchema,
      execute(call, { toolCallId }) {
        const frame = currentFrame()
        return delegate(frame, call, frame.callId ?? toolCallId)
      },
    }),
}
