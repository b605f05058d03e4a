// The entry point `@throughline/client/react`.

/** @public */
export { type AgentChat, type AgentStream, useAgentChat, useAgentStream } from './react/hooks.ts'
