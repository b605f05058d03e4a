import type { KeyedAgent } from '../named-agent.ts'
import type { LangGraph, LangGraphOptions } from './lang-graph.ts'
import { runGraph } from './run-graph.ts'

/**
 * Makes an agent of a compiled LangGraph graph, or of an agent of `createAgent`. Text, reasoning, tool calls, results,
 * errors and usage come through, also those of subgraphs, and a stop reaches the graph as its `signal`. In an object of
 * agents, its name is its key. Throws a `TypeError` when `memory: 'thread'` cannot work.
 *
 * @public
 */
export function fromLangGraph(graph: LangGraph, options: LangGraphOptions = {}): KeyedAgent {
  const { memory = 'chat', config, ...agent } = options
  if (memory === 'thread' && (!graph.checkpointer || graph.getState === undefined))
    throw new TypeError(
      'fromLangGraph: memory "thread" needs a graph with a checkpointer. Compile the graph with one, or leave "memory" out.',
    )
  return {
    ...agent,
    // A spread would read a getter only once.
    get isEnabled() {
      return options.isEnabled
    },
    run: request => runGraph({ graph, memory, config }, request),
  }
}
