// The entry point `throughline/claude-agent-sdk`: agents that run on the Claude Agent SDK.

/** @public */
export {
  type ClaudeMessage,
  type ClaudeQuery,
  type FromClaudeAgentSdkOptions,
  fromClaudeAgentSdk,
} from '@throughline/agents/claude-agent-sdk'
