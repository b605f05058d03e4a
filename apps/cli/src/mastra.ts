// The entry point `throughline/mastra`: agents that were made with Mastra.

/** @public */
export {
  type FromMastraOptions,
  fromMastra,
  type MastraAgent,
  type MastraThread,
  type RememberedChat,
  type ThreadOf,
} from '@throughline/agents/mastra'
