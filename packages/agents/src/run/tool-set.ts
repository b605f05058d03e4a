import type { ToolSet } from 'ai'
import type { AgentFrame } from './agent-frame.ts'
import { wrapTool } from './wrap-tool.ts'

/**
 * Returns the tools of the agent that works in this frame, by key, as the AI SDK wants them. A tool begins only after the
 * agent has yielded the `tool-call` event of its call; see docs/guides/add-an-agent.md.
 */
export function toolSetOf({ run, toolKeys }: AgentFrame): ToolSet {
  const maxOutputChars = run.limits.maxToolOutputChars
  return Object.fromEntries(
    [...toolKeys].flatMap(key => {
      const factory = run.tools.find(key)
      return factory === undefined ? [] : [[key, wrapTool(factory, { maxOutputChars })]]
    }),
  )
}
