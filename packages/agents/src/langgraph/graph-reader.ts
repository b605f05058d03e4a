import { isRecord } from '@throughline/protocol'
import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent, FinishReason, ToolCall } from '../agent/agent-event.ts'
import { toJson } from '../values/json-value.ts'
import { GraphCalls, ModelCall } from './graph-calls.ts'
import { finishReasonOf, messagesIn, modelNameIn, piecesIn, tokenCountsOf, typeOf } from './message-fields.ts'
import { RunTree, type StartedGraphTool, type StartedRun } from './run-tree.ts'

type Events = readonly AgentEvent[]

/**
 * Turns what happens inside a graph into events. The text and the calls come from the models, the results of tools and the
 * messages that nodes write themselves come from what nodes return. What happens inside a tool is not part of the answer;
 * only its usage is counted.
 */
export class GraphReader {
  readonly #countUsage: AgentRequest['countUsage']
  readonly #tree = new RunTree()
  /** The nodes that work now, with the messages without an id that each was given. */
  readonly #nodes = new Map<string, readonly string[]>()
  /** The models whose text is shown, while they work. */
  readonly #models = new Map<string, ModelCall>()
  /** The names of the models whose text is not shown, while they work. */
  readonly #hiddenModels = new Map<string, string | undefined>()
  /** The model that has spoken last, while it works. */
  #speaker: ModelCall | undefined
  readonly #calls = new GraphCalls()
  /** The ids of messages that are not shown again: nodes also return what they were given. */
  readonly #knownIds = new Set<string>()
  /** What models have said. A node may copy it into a message with another id. */
  readonly #knownTexts = new Set<string>()
  #isInStep = false
  #finishReason: FinishReason = 'stop'

  constructor({ countUsage }: Pick<AgentRequest, 'countUsage'>) {
    this.#countUsage = countUsage
  }

  /** The calls that have no result yet. */
  get openCalls(): readonly ToolCall[] {
    return this.#calls.open
  }

  nodeStart(inputs: unknown, { runId, parentId, tags = [], metadata, name }: StartedRun): Events {
    this.#tree.begin(runId, parentId)
    const isNode = name !== undefined && name === metadata?.['langgraph_node']
    if (!isNode || tags.includes('langsmith:hidden')) return []
    const given = messagesIn(inputs)
    for (const { id } of given) if (typeof id === 'string') this.#knownIds.add(id)
    this.#nodes.set(runId, given.filter(hasNoId).map(keyOf))
    return []
  }

  nodeEnd(outputs: unknown, runId: string): Events {
    const given = this.#nodes.get(runId)
    const isShown = given !== undefined && !this.#tree.isInsideTool(runId)
    this.leaveNode(runId)
    return isShown ? newIn(messagesIn(outputs), given).flatMap(message => this.#message(message)) : []
  }

  /** The node works no more, whether it has failed or not. */
  leaveNode(runId: string): void {
    this.#nodes.delete(runId)
    this.#tree.end(runId)
  }

  modelStart({ runId, parentId, tags = [], metadata }: StartedRun): Events {
    this.#tree.begin(runId, parentId)
    const model = modelNameIn(metadata)
    if (tags.some(isNoStream) || this.#tree.isInsideTool(runId)) {
      this.#hiddenModels.set(runId, model)
      return []
    }
    // Branches of a graph that work at the same time share a step. A new step would end the calls whose inputs still
    // stream, and some readers look for the call of a result only in the last step.
    const isShared = this.#models.size > 0 || this.#calls.areRunning
    const begins: Events = isShared ? [] : [...this.#endStep(), { type: 'step-start' }]
    this.#models.set(runId, new ModelCall(model))
    this.#isInStep = true
    return begins
  }

  modelChunk(chunk: unknown, runId: string): Events {
    const call = this.#models.get(runId)
    if (call === undefined) return []
    const isOther = this.#speaker !== undefined && this.#speaker !== call
    const switched = isOther ? this.#closeText() : []
    this.#speaker = call
    return [...switched, ...call.take(chunk)]
  }

  modelEnd(message: unknown, runId: string): Events {
    const call = this.#models.get(runId)
    const fields = isRecord(message) ? message : {}
    const counts = tokenCountsOf(fields['usage_metadata'])
    const model = call === undefined ? this.#hiddenModels.get(runId) : call.model
    if (counts !== undefined)
      this.#countUsage?.(model ?? modelNameIn(fields['response_metadata']) ?? 'unknown', counts)
    const whole = call?.isSilent === true ? this.modelChunk(message, runId) : []
    const last = this.leaveModel(runId)
    if (call === undefined) return []
    this.#finishReason = finishReasonOf(fields['response_metadata'])
    if (typeof fields['id'] === 'string') this.#knownIds.add(fields['id'])
    this.#knownTexts.add(call.said)
    return [...whole, ...last, ...this.#calls.made(message)]
  }

  /** The model works no more, whether it has failed or not. */
  leaveModel(runId: string): Events {
    const call = this.#models.get(runId)
    this.#tree.end(runId)
    this.#hiddenModels.delete(runId)
    this.#models.delete(runId)
    if (call === this.#speaker) this.#speaker = undefined
    return call?.pause() ?? []
  }

  toolStart(tool: StartedGraphTool, { runId, parentId }: StartedRun): Events {
    this.#tree.beginTool(runId, parentId)
    return this.#tree.isInsideTool(runId) ? [] : this.#calls.start(tool, runId)
  }

  toolProgress(output: unknown, runId: string): Events {
    return this.#calls.progress(output, runId)
  }

  toolEnd(runId: string): void {
    this.#tree.end(runId)
    this.#calls.end(runId)
  }

  toolError(error: unknown, runId: string): void {
    this.#tree.end(runId)
    this.#calls.end(runId, error)
  }

  /** The graph has ended as it should. */
  finish(): Events {
    return [...this.#closeText(), ...this.#endStep(), { type: 'finish', finishReason: this.#finishReason }]
  }

  /** The graph has failed. */
  fail(): Events {
    return [...this.#closeText(), ...this.#calls.failed]
  }

  #message(message: Readonly<Record<string, unknown>>): Events {
    const type = typeOf(message)
    if (type === 'tool') return this.#calls.result(message)
    const { id } = message
    if (type !== 'ai' || (typeof id === 'string' && this.#knownIds.has(id))) return []
    if (typeof id === 'string') this.#knownIds.add(id)
    const text = piecesIn(message).reduce(
      (all, piece) => (piece.type === 'text' ? all + piece.text : all),
      '',
    )
    if (this.#knownTexts.has(text)) return this.#calls.made(message)
    const call = new ModelCall(undefined)
    const said = [...call.take(message), ...call.pause()]
    return [...this.#closeText(), ...said, { type: 'text-end' }, ...this.#calls.made(message)]
  }

  /** Ends what a model says, so that what comes next is a part of its own. */
  #closeText(): Events {
    const rest = this.#speaker?.pause() ?? []
    this.#speaker = undefined
    return [...rest, { type: 'reasoning-end' }, { type: 'text-end' }]
  }

  #endStep(): Events {
    if (!this.#isInStep) return []
    this.#isInStep = false
    return [{ type: 'step-end' }]
  }
}

/** Returns the messages without those that the node was given. Plain objects need no id, so they are compared as a whole. */
function newIn(messages: ReturnType<typeof messagesIn>, given: readonly string[]) {
  const left = [...given]
  return messages.filter(message => {
    const index = hasNoId(message) ? left.indexOf(keyOf(message)) : -1
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function hasNoId({ id }: Readonly<Record<string, unknown>>): boolean {
  return typeof id !== 'string'
}

function keyOf(message: Readonly<Record<string, unknown>>): string {
  return toJson([typeOf(message), message['content'], message['tool_calls'], message['tool_call_id']])
}

/** Returns whether a tag says that a model's text is not to be shown. These are LangGraph's tags. */
function isNoStream(tag: string): boolean {
  return tag === 'nostream' || tag === 'langsmith:nostream'
}
