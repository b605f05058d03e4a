import type { ToolSet } from 'ai'
import type { AgentFrame } from './agent-frame.ts'
import type { RunScope } from './run-scope.ts'
import type { ToolFactory } from './tool-factory-registry.ts'
import { wrapTool } from './wrap-tool.ts'

/**
 * Returns the tools of the agent that works in this frame, by key, as the AI SDK wants them. A tool begins only after the
 * agent has yielded the `tool-call` event of its call; see docs/guides/add-an-agent.md.
 */
export function toolSetOf({ run, toolKeys }: AgentFrame): ToolSet {
  const maxOutputChars = run.limits.maxToolOutputChars
  return Object.fromEntries(
    [...toolKeys].flatMap(key => {
      const factory = factoryOf(run, key)
      return factory === undefined ? [] : [[key, wrapTool(factory, { maxOutputChars })]]
    }),
  )
}

/** Returns the tool with this key: one of the server, or one that the request brought. */
export function factoryOf(
  { tools, clientTools = [] }: Pick<RunScope, 'tools' | 'clientTools'>,
  key: string,
): ToolFactory | undefined {
  return clientTools.find(factory => factory.key === key) ?? tools.find(key)
}
