import { isRecord } from '@throughline/protocol'
import { APICallError } from 'ai'
import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'
import { Handover } from '../values/handover.ts'
import { commandAfter, interruptsIn } from './ask-interrupts.ts'
import { inputOf, threadIdOf } from './graph-input.ts'
import { GraphReader } from './graph-reader.ts'
import type { LangGraph, LangGraphOptions, RunnableGraph } from './lang-graph.ts'
import type { StartedRun } from './run-tree.ts'

/**
 * Makes an agent of a compiled LangGraph graph, or of an agent of `createAgent`. Text, reasoning, tool calls, results,
 * errors and usage come through, also those of subgraphs, and a stop reaches the graph as its `signal`. In an object of
 * agents, its name is its key. Throws a `TypeError` when `memory: 'thread'` cannot work, or not together with `continues`.
 *
 * @public
 */
export function fromLangGraph(graph: LangGraph, options: LangGraphOptions = {}): KeyedAgent {
  const { memory = 'chat', config, ...agent } = options
  if (memory === 'thread' && (!graph.checkpointer || graph.getState === undefined))
    throw new TypeError(
      'fromLangGraph: memory "thread" needs a graph with a checkpointer. Compile the graph with one, or leave "memory" out.',
    )
  if (memory === 'thread' && options.continues === true)
    throw new TypeError(
      'fromLangGraph: "continues" does not work with memory "thread", because a checkpoint does not have what was said after it. Leave out one of the two.',
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

/**
 * Runs a graph and yields what happens in it. The events come from LangChain's callbacks and not from LangGraph's stream:
 * the stream loses what is in its queue when the graph fails, and it does not wait for its reader.
 */
async function* runGraph(agent: RunnableGraph, request: AgentRequest): AsyncGenerator<AgentEvent> {
  const events = new Handover<AgentEvent>()
  const leaving = new AbortController()
  const signal = AbortSignal.any([request.signal, leaving.signal])
  // The graph may wait for its reader, or the reader for the graph. A stop ends both waits.
  signal.addEventListener('abort', () => events.stop())
  if (signal.aborted) return
  void drive(agent, { ...request, signal }, events)
  try {
    yield* events
  } finally {
    leaving.abort()
  }
}

/** Runs the graph to its end. Never rejects: what goes wrong ends the events. */
async function drive(
  agent: RunnableGraph,
  request: AgentRequest,
  events: Handover<AgentEvent>,
): Promise<void> {
  const reader = new GraphReader(request)
  try {
    await runToEnd(agent, request, { reader, events })
    await events.put(reader.finish())
    events.close()
  } catch (error) {
    await events.put(reader.fail())
    if (langChainCode(error) !== 'GRAPH_RECURSION_LIMIT')
      return events.close({ error: providerFailure(error) })
    await events.put([{ type: 'finish', finishReason: 'tool-calls' }])
    events.close()
  }
}

interface Reading {
  readonly reader: GraphReader
  readonly events: Handover<AgentEvent>
}

/** Runs the graph. Where it waits for decisions of a person, asks for them and runs it on. */
async function runToEnd(
  agent: RunnableGraph,
  request: AgentRequest,
  { reader, events }: Reading,
): Promise<void> {
  const { graph } = agent
  const given = agent.config?.(request) ?? {}
  const configurable = { thread_id: threadIdOf(agent.memory, request), ...given.configurable }
  const config = {
    ...given,
    configurable,
    callbacks: [...(given.callbacks ?? []), graphCallbacks(reader, events)],
    signal: request.signal,
    streamMode: 'updates',
  }
  let stream = await graph.stream(await inputOf(agent, configurable, request), config)
  for (;;) {
    const interrupts = await interruptsIn(stream)
    if (interrupts === undefined) return
    const command = await commandAfter(interrupts, {
      calls: reader.openCalls,
      put: given => events.put(given),
    })
    // `stream` of an agent of `createAgent` accepts only instances of LangGraph's class `Command`.
    stream = await (graph.graph ?? graph).stream(command, config)
  }
}

// LangChain's codes for errors of model providers, and the HTTP statuses that they stand for.
const statuses: ReadonlyMap<unknown, number> = new Map([
  ['MODEL_AUTHENTICATION', 401],
  ['MODEL_RATE_LIMIT', 429],
])

/**
 * Returns an error of a graph so that people are told what a model provider refuses. Other errors are returned as they
 * are: a status alone does not say that it comes from a model provider.
 */
function providerFailure(error: unknown): unknown {
  const statusCode = statuses.get(langChainCode(error))
  if (statusCode === undefined || !(error instanceof Error)) return error
  return new APICallError({
    message: error.message,
    cause: error,
    statusCode,
    url: '',
    requestBodyValues: {},
  })
}

/** Returns the code that LangChain gives an error, such as `GRAPH_RECURSION_LIMIT`. */
function langChainCode(error: unknown): unknown {
  return error instanceof Error && 'lc_error_code' in error ? error.lc_error_code : undefined
}

type Waiting = Promise<void> | undefined

/**
 * Returns the callbacks that a graph is run with. LangChain hands them on to everything inside the graph, also to
 * subgraphs. The order of the parameters is LangChain's.
 */
function graphCallbacks(reader: GraphReader, events: Handover<AgentEvent>) {
  return {
    // LangChain waits for what a callback returns. So a model waits until its text is written.
    awaitHandlers: true,
    // Makes models stream, also where a node calls `invoke`.
    lc_prefer_streaming: true,
    handleChainStart: (...[, inputs, ...run]: [unknown, unknown, ...ChainArguments]): Waiting =>
      events.put(reader.nodeStart(inputs, chainRun(run))),
    handleChainEnd: (outputs: unknown, runId: string): Waiting => events.put(reader.nodeEnd(outputs, runId)),
    handleChainError: (_error: unknown, runId: string): void => reader.leaveNode(runId),
    handleChatModelStart: (...[, , runId, parentId, , tags, metadata]: ModelArguments): Waiting =>
      events.put(reader.modelStart({ runId, parentId, tags, metadata })),
    handleLLMNewToken: (...[token, , runId, , , fields]: TokenArguments): Waiting =>
      events.put(
        reader.modelChunk(chunkIn(fields) ?? { contentBlocks: [{ type: 'text', text: token }] }, runId),
      ),
    handleLLMEnd: (output: unknown, runId: string): Waiting =>
      events.put(reader.modelEnd(messageIn(output), runId)),
    handleLLMError: (_error: unknown, runId: string): Waiting => events.put(reader.leaveModel(runId)),
    handleToolStart: (...[, input, runId, parentId, , , name, toolCallId]: ToolArguments): Waiting =>
      events.put(reader.toolStart({ input, name, toolCallId }, { runId, parentId })),
    handleToolEvent: (data: unknown, runId: string): Waiting => events.put(reader.toolProgress(data, runId)),
    handleToolEnd: (_output: unknown, runId: string): void => reader.toolEnd(runId),
    handleToolError: (error: unknown, runId: string): void => reader.toolError(error, runId),
  }
}

type Metadata = Readonly<Record<string, unknown>> | undefined
type Tags = readonly string[] | undefined
type ChainArguments = [
  runId: string,
  parentId?: string,
  tags?: Tags,
  metadata?: Metadata,
  runType?: string,
  name?: string,
]
type ModelArguments = [
  model: unknown,
  messages: unknown,
  runId: string,
  parentId?: string,
  extra?: unknown,
  tags?: Tags,
  metadata?: Metadata,
]
type TokenArguments = [
  token: string,
  index: unknown,
  runId: string,
  parentId?: string,
  tags?: Tags,
  fields?: unknown,
]
type ToolArguments = [
  tool: unknown,
  input: string,
  runId: string,
  parentId?: string,
  tags?: Tags,
  metadata?: Metadata,
  name?: string,
  toolCallId?: string,
]

function chainRun([runId, parentId, tags, metadata, , name]: ChainArguments): StartedRun {
  return { runId, parentId, tags, metadata, name }
}

/** Returns the chunk of a message that a token belongs to. Some models give the token alone. */
function chunkIn(fields: unknown): unknown {
  const chunk = isRecord(fields) ? fields['chunk'] : undefined
  return isRecord(chunk) && isRecord(chunk['message']) ? chunk['message'] : undefined
}

/** Returns the whole message of a model. */
function messageIn(output: unknown): unknown {
  const [first]: readonly unknown[] = listOf(isRecord(output) ? output['generations'] : undefined)
  const [generation]: readonly unknown[] = listOf(first)
  return isRecord(generation) ? generation['message'] : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
