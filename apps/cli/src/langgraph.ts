// The entry point `throughline/langgraph`: agents of LangGraph.

/** @public */
export {
  fromLangGraph,
  type LangGraph,
  type LangGraphConfig,
  type LangGraphOptions,
} from '@throughline/agents/langgraph'
