import { type MessageRecord, type ToolPart, toolNameOf, truncatedIn } from '@throughline/protocol'
import { outcomeUnknownText, untilAborted } from '@throughline/protocol/internal'
import { type AgentFrame, inFrame } from '../run/agent-frame.ts'
import { runsOutside } from '../run/tool-factory-registry.ts'
import { factoryOf, toolSetOf } from '../run/tool-set.ts'
import { callOf, openCalls } from './open-calls.ts'

/**
 * Settles the calls of an answer that had no result when its process died, all at the same time:
 * - A call that waits for a person goes on waiting, and runs when it is approved.
 * - So does a call that waits for its output from the client's side.
 * - A call of an idempotent tool is repeated under the same id.
 * - Any other call gets an error that says that its outcome is unknown.
 *
 * Resolves when every call has ended, or when the agent is stopped. Rejects only when a chunk cannot be written.
 */
export async function settleCalls(frame: AgentFrame, record: MessageRecord): Promise<void> {
  await Promise.all(openCalls(record).map(part => settle(frame, part)))
}

async function settle(frame: AgentFrame, part: ToolPart): Promise<void> {
  const { writer, signal } = frame
  const call = callOf(part, toolNameOf(part))
  if (part.approval?.approved === false)
    return writer.write({ type: 'tool-denied', toolCallId: call.toolCallId })
  if (!mayRun(frame, part))
    return writer.write({ type: 'tool-error', ...call, errorText: outcomeUnknownText })
  const outcome = await run(frame, part).then(
    output => ({ type: 'tool-result', ...call, output }) as const,
    error => ({ type: 'tool-error', ...call, errorText: messageOf(error) }) as const,
  )
  // After a stop, the end of the answer closes the call.
  if (!signal.aborted) await writer.write(outcome)
}

/** A tool begins after its approval is in the log. So a call whose approval is still asked for has not begun. */
function mayRun({ run, toolKeys }: AgentFrame, part: ToolPart): boolean {
  const key = toolNameOf(part)
  const factory = toolKeys.has(key) ? factoryOf(run, key) : undefined
  if (factory === undefined || part.providerExecuted === true) return false
  if (truncatedIn(part.input) !== undefined) return false
  return part.state === 'approval-requested' || factory.idempotent === true || runsOutside(factory.make())
}

async function run(frame: AgentFrame, part: ToolPart): Promise<unknown> {
  const { toolCallId, input, approval } = part
  const { signal } = frame
  const execute = toolSetOf(frame)[toolNameOf(part)]?.execute
  if (execute === undefined) throw new Error('The tool can no longer be called.')
  frame.writer.callAgain(toolCallId)
  const earlierApproval = approval && { id: approval.id, isApproved: approval.approved === true }
  const options = { toolCallId, messages: [], abortSignal: signal, context: {} }
  const output = inFrame({ ...frame, earlierApproval }, async () => execute(input, options))
  return untilAborted(output, signal)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
