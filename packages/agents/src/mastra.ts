// The entry point `@throughline/agents/mastra`: agents that were made with Mastra.

/** @public */
export {
  type FromMastraOptions,
  fromMastra,
  type RememberedChat,
  type ThreadOf,
} from './mastra/from-mastra.ts'
/** @public */
export type { MastraAgent, MastraThread } from './mastra/mastra-agent.ts'
