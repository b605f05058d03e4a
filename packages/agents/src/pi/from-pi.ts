import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { assertMayAct, assertShown } from '../run/assert-may-act.ts'
import { type ApprovalQuestion, ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import { Handover } from '../values/handover.ts'
import type { PiAgent } from './pi-agent.ts'
import { piMessages } from './pi-messages.ts'
import { PiReader } from './pi-reader.ts'

export interface FromPiOptions extends Omit<KeyedAgent, 'run' | 'model' | 'continues'> {
  /** Returns whether a person has to approve a call before it runs. By default no call needs approval. */
  readonly needsApproval?: NeedsApproval | undefined
}

/** Makes the agent of pi that writes one answer. */
export type MakePiAgent = (request: AgentRequest) => PiAgent | Promise<PiAgent>

/**
 * Makes an agent of pi's `Agent` (`@earendil-works/pi-agent-core`). The function makes a new one for each answer, because
 * one agent of pi is one conversation. It gets the chat as its messages. Text, reasoning, tool calls, approvals, errors and
 * usage come through, a stop aborts the agent, and an answer whose process died goes on. In an object of agents, its name is
 * its key. Throws a `TypeError` when it is given an agent in place of a function.
 *
 * @public
 */
export function fromPi(makeAgent: MakePiAgent, options: FromPiOptions = {}): KeyedAgent {
  if (typeof makeAgent !== 'function')
    throw new TypeError(
      'fromPi needs a function that makes an agent of pi for each answer: fromPi(() => new Agent({ … })).',
    )
  const { needsApproval, ...settings } = options
  return {
    ...settings,
    // A spread would read a getter only once.
    get isEnabled() {
      return options.isEnabled
    },
    continues: true,
    run: request => runPi({ makeAgent, needsApproval, maxSteps: settings.maxSteps }, request),
  }
}

interface Source extends Pick<FromPiOptions, 'needsApproval' | 'maxSteps'> {
  readonly makeAgent: MakePiAgent
}

async function* runPi(source: Source, request: AgentRequest): AsyncGenerator<AgentEvent, void, undefined> {
  const stepsLeft = stepsLeftOf(source, request)
  if (stepsLeft <= 0) {
    yield { type: 'finish', finishReason: 'tool-calls' }
    return
  }
  const agent = await source.makeAgent(request)
  agent.state.messages = [...agent.state.messages, ...piMessages(request)]
  const reader = new PiReader({ countUsage: request.countUsage ?? (() => undefined) })
  guardCalls(agent, source)
  limitSteps(agent, stepsLeft)
  const events = new Handover<AgentEvent>()
  const unsubscribe = agent.subscribe(event => events.put(reader.read(event)))
  const stop = () => agent.abort()
  request.signal.addEventListener('abort', stop)
  try {
    agent.continue().then(
      () => events.close(),
      error => events.close({ error }),
    )
    if (request.signal.aborted) stop()
    yield* events
    if (!request.signal.aborted) yield* reader.finish()
  } finally {
    request.signal.removeEventListener('abort', stop)
    unsubscribe()
    events.stop()
    stop()
  }
}

function stepsLeftOf({ maxSteps }: Source, { answerSoFar }: AgentRequest): number {
  const most = currentFrame().run.limits.maxSteps
  const taken = answerSoFar?.parts.filter(({ type }) => type === 'step-start').length ?? 0
  return Math.min(maxSteps ?? most, most) - taken
}

/** What the agent's own hook refuses stays refused. What it lets through is checked here. */
function guardCalls(agent: PiAgent, { needsApproval }: Source): void {
  const frame = currentFrame()
  const own = agent.beforeToolCall?.bind(agent)
  agent.beforeToolCall = async (context, signal) => {
    const decided = await own?.(context, signal)
    if (decided?.block === true) return decided
    const { id: toolCallId, name: toolName } = context.toolCall
    const reason = await refusalOf(frame, { toolCallId, toolName, input: context.args }, needsApproval)
    return reason === undefined ? decided : { block: true, reason }
  }
}

/** Ends the run when it has made as many model calls as it may, even if there are results for another one. */
function limitSteps(agent: PiAgent, stepsLeft: number): void {
  let steps = 0
  const own = agent.finishTurn?.bind(agent)
  agent.finishTurn = async (turn, signal) => {
    const decided = await own?.(turn, signal)
    steps += 1
    return steps >= stepsLeft ? { action: 'end' } : decided
  }
}

/** Returns whether a person has to approve this call before it runs. */
export type NeedsApproval = (call: ApprovalQuestion) => boolean

/**
 * Returns why a call must not run, for the model; `undefined` when it may. Asks a person where that is needed, and waits
 * until the call is in the log: if the process dies, the next one must know that the call was made. Throws the signal's
 * reason after a stop.
 */
async function refusalOf(
  caller: AgentFrame,
  call: ApprovalQuestion,
  needsApproval: NeedsApproval = () => false,
): Promise<string | undefined> {
  const frame = { ...caller, callId: await caller.writer.called(call.toolCallId, call.toolName) }
  try {
    if (needsApproval(call)) {
      assertShown(call.input, frame.run.limits.maxToolOutputBytes)
      await waitForApproval(frame, call)
    }
    await frame.run.flush()
    await assertMayAct(frame.run, { key: call.toolName })
    return undefined
  } catch (error) {
    if (frame.signal.aborted && !(error instanceof ToolDenied)) throw error
    return error instanceof Error ? error.message : String(error)
  }
}
