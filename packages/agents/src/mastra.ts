// The entry point `@throughline/agents/mastra`: agents that were made with Mastra.

/** @public */
export { type FromMastraOptions, fromMastra } from './mastra/from-mastra.ts'
/** @public */
export type { MastraAgent, MastraThread } from './mastra/mastra-agent.ts'
/** @public */
export type { RememberedChat, ThreadOf } from './mastra/mastra-memory.ts'
