import type { AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { Handover } from '../values/handover.ts'
import { commandAfter, interruptsIn } from './ask-interrupts.ts'
import { graphCallbacks } from './graph-callbacks.ts'
import { GraphReader } from './graph-reader.ts'
import type { GraphAgent } from './lang-graph.ts'
import { langChainCode, providerFailure } from './provider-failure.ts'
import { inputOf, threadIdOf } from './thread.ts'

/**
 * Runs a graph and yields what happens in it. The events come from LangChain's callbacks and not from LangGraph's stream:
 * the stream loses what is in its queue when the graph fails, and it does not wait for its reader.
 */
export async function* runGraph(agent: GraphAgent, request: AgentRequest): AsyncGenerator<AgentEvent> {
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
async function drive(agent: GraphAgent, request: AgentRequest, events: Handover<AgentEvent>): Promise<void> {
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
  agent: GraphAgent,
  request: AgentRequest,
  { reader, events }: Reading,
): Promise<void> {
  const { graph } = agent
  const given = agent.config?.(request) ?? {}
  const configurable = { thread_id: threadIdOf(agent.memory), ...given.configurable }
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
