import type { AgentRequest } from '../agent/agent.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'

/**
 * A compiled graph of `@langchain/langgraph`, or an agent of `createAgent` of `langchain`. These are the few members that
 * are used, so nothing has to be imported from there.
 */
export interface LangGraph {
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>
  /** Reads what a thread remembers. Only `memory: 'thread'` needs it. */
  getState?(config: object): Promise<unknown>
  /** Where the graph keeps its threads. */
  readonly checkpointer?: unknown
  /** An agent of `createAgent` has the graph that it is made of. */
  readonly graph?: { stream(input: unknown, options: object): Promise<AsyncIterable<unknown>> }
}

/** What a graph is run with, such as `context`, `configurable` and `recursionLimit`. */
export interface LangGraphConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined
  readonly callbacks?: readonly unknown[] | undefined
  readonly [option: string]: unknown
}

export interface LangGraphOptions extends Omit<KeyedAgent, 'run'> {
  /**
   * Who remembers the conversation. `chat`, the default: the graph gets the whole chat with every question. `thread`: the
   * graph gets the new message only, and its checkpointer remembers the rest. Each chat has a thread of its own.
   */
  readonly memory?: 'chat' | 'thread' | undefined
  /** Returns more of what the graph is run with. It is called for each answer. */
  readonly config?: ((request: AgentRequest) => LangGraphConfig) | undefined
}

/** A graph, and how it is run. */
export interface RunnableGraph extends Pick<LangGraphOptions, 'config'> {
  readonly graph: LangGraph
  readonly memory: 'chat' | 'thread'
}
