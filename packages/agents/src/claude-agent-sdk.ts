// The entry point `@throughline/agents/claude-agent-sdk`: agents that run on the Claude Agent SDK.

/** @public */
export type { ClaudeMessage, ClaudeQuery } from './claude-agent-sdk/claude-query.ts'
/** @public */
export {
  type FromClaudeAgentSdkOptions,
  fromClaudeAgentSdk,
} from './claude-agent-sdk/from-claude-agent-sdk.ts'
