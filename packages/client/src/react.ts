// The entry point `@throughline/client/react`.

/** @public */
export { type AgentChat, useAgentChat } from './react/use-agent-chat.ts'
/** @public */
export { type AgentStream, useAgentStream } from './react/use-agent-stream.ts'
