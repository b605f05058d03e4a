import { isRecord } from '@throughline/protocol'
import type { AgentEvent } from '../agent-event.ts'
import type { Handover } from '../values/handover.ts'
import type { GraphReader } from './graph-reader.ts'
import type { StartedRun } from './started-run.ts'

type Waiting = Promise<void> | undefined

/**
 * Returns the callbacks that a graph is run with. LangChain hands them on to everything inside the graph, also to
 * subgraphs. The order of the parameters is LangChain's.
 */
export function graphCallbacks(reader: GraphReader, events: Handover<AgentEvent>) {
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
