import { isRecord, questionToolName } from '@throughline/protocol'
import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import { GraphWaitsError } from '../errors/agent-errors.ts'
import { currentFrame } from '../run/agent-frame.ts'
import { askOutput } from '../run/ask-person.ts'
import { ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import { NoOutput } from '../run/wait-for-output.ts'
import { toJsonValue } from '../values/json-value.ts'

/** Where a graph waits for a person. */
export interface Interrupt {
  readonly id: string
  readonly value: unknown
}

/**
 * Reads the updates of a graph to their end. Returns where the graph waits now, or `undefined` when it has ended. At a
 * breakpoint (`interruptBefore`, `interruptAfter`) the list is empty.
 */
export async function interruptsIn(
  updates: AsyncIterable<unknown>,
): Promise<readonly Interrupt[] | undefined> {
  let isWaiting = false
  const interrupts = new Map<string, Interrupt>()
  for await (const update of updates) {
    const found = isRecord(update) ? update['__interrupt__'] : undefined
    if (!Array.isArray(found)) continue
    isWaiting = true
    for (const { id, value } of found.filter(isRecord)) interrupts.set(String(id), { id: String(id), value })
  }
  return isWaiting ? [...interrupts.values()] : undefined
}

/** What asking for a graph needs: its open calls, and where events go. */
export interface Asking {
  readonly calls: readonly ToolCall[]
  /** Resolves when the events have been written. */
  readonly put: (events: readonly AgentEvent[]) => Promise<void> | undefined
}

/**
 * Asks for what a graph waits for, and returns LangGraph's `Command` with it: decisions on tool calls, and answers to
 * questions. A question is whatever else the graph has given to `interrupt()`. Throws at a breakpoint, which asks nothing.
 */
export async function commandAfter(interrupts: readonly Interrupt[], asking: Asking): Promise<object> {
  const open = [...asking.calls]
  const asked = interrupts.map(interrupt => {
    const calls = callsToApprove(interrupt.value, open)
    return async () => {
      const answer =
        calls === undefined
          ? await answerTo(interrupt, asking)
          : { decisions: await Promise.all(calls.map(ask)) }
      return [interrupt.id, answer] as const
    }
  })
  if (asked.length === 0) throw new GraphWaitsError()
  const resume = Object.fromEntries(await Promise.all(asked.map(each => each())))
  return { lg_name: 'Command', resume }
}

/** Asks a person what a graph wants to know. The question is shown as a call, and the answer is its output. */
async function answerTo({ id, value }: Interrupt, { put }: Asking): Promise<unknown> {
  const input = toJsonValue(isRecord(value) ? value : { question: value })
  const call: ToolCall = { toolCallId: `question-${id}`, toolName: questionToolName, input, dynamic: true }
  await put([{ type: 'tool-call', ...call }])
  try {
    const output = await askOutput({ ...call, from: 'person' })
    await put([{ type: 'tool-result', ...call, output }])
    return output
  } catch (error) {
    if (!(error instanceof NoOutput)) throw error
    await put([{ type: 'tool-error', ...call, errorText: error.message }])
    throw new GraphWaitsError(error.message)
  }
}

/**
 * Returns the calls for which `humanInTheLoopMiddleware` of `langchain` wants decisions. It names them by their tools and
 * arguments. Takes them out of `open`. Returns `undefined` for another interrupt.
 */
function callsToApprove(value: unknown, open: ToolCall[]): readonly ToolCall[] | undefined {
  const { actionRequests, reviewConfigs } = isRecord(value) ? value : {}
  if (!Array.isArray(actionRequests) || !Array.isArray(reviewConfigs)) return undefined
  if (!reviewConfigs.every(canBeDecided)) throw new GraphWaitsError()
  return actionRequests.map((request: unknown) => {
    const { name, args } = isRecord(request) ? request : {}
    const index = open.findIndex(
      call => call.toolName === name && JSON.stringify(call.input) === JSON.stringify(args),
    )
    const [call] = index === -1 ? [] : open.splice(index, 1)
    if (call === undefined) throw new GraphWaitsError()
    return call
  })
}

/** A person can approve or deny a call here, and nothing else. Both must be allowed. */
function canBeDecided(config: unknown): boolean {
  const allowed = isRecord(config) ? config['allowedDecisions'] : undefined
  return Array.isArray(allowed) && allowed.includes('approve') && allowed.includes('reject')
}

interface Decision {
  readonly type: 'approve' | 'reject'
  readonly message?: string
}

async function ask({ toolCallId, toolName, input }: ToolCall): Promise<Decision> {
  const frame = currentFrame()
  const callId = await frame.writer.called(toolCallId, toolName)
  try {
    await waitForApproval({ ...frame, callId }, { toolCallId, toolName, input })
    return { type: 'approve' }
  } catch (error) {
    if (error instanceof ToolDenied) return { type: 'reject', message: error.message }
    throw error
  }
}
