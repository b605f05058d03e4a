import { isRecord } from '@throughline/protocol'
import type { ToolCall } from '../agent-event.ts'
import { GraphWaitsError } from '../errors/graph-waits-error.ts'
import { currentFrame } from '../run/agent-frame.ts'
import { askApproval, ToolDenied } from '../run/ask-approval.ts'

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

/**
 * Asks for the decisions that a graph waits for, and returns LangGraph's `Command` with them. Throws when the graph waits
 * for something else than the approval of tool calls.
 */
export async function commandAfter(
  interrupts: readonly Interrupt[],
  calls: readonly ToolCall[],
): Promise<object> {
  const open = [...calls]
  const questions = interrupts.map(({ id, value }) => [id, callsToApprove(value, open)] as const)
  if (questions.length === 0) throw new GraphWaitsError()
  const decided = questions.map(
    async ([id, asked]) => [id, { decisions: await Promise.all(asked.map(ask)) }] as const,
  )
  const resume = Object.fromEntries(await Promise.all(decided))
  return { lg_name: 'Command', resume }
}

/**
 * Returns the calls for which `humanInTheLoopMiddleware` of `langchain` wants decisions. It names them by their tools and
 * arguments. Takes them out of `open`.
 */
function callsToApprove(value: unknown, open: ToolCall[]): readonly ToolCall[] {
  const { actionRequests, reviewConfigs } = isRecord(value) ? value : {}
  if (!Array.isArray(actionRequests) || !Array.isArray(reviewConfigs)) throw new GraphWaitsError()
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
    await askApproval({ ...frame, callId }, { toolCallId, toolName, input })
    return { type: 'approve' }
  } catch (error) {
    if (error instanceof ToolDenied) return { type: 'reject', message: error.message }
    throw error
  }
}
