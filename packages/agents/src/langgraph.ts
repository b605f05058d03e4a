// The entry point `@throughline/agents/langgraph`: agents of LangGraph.

/** @public */
export { fromLangGraph } from './langgraph/from-lang-graph.ts'
/** @public */
export type { LangGraph, LangGraphConfig, LangGraphOptions } from './langgraph/lang-graph.ts'
