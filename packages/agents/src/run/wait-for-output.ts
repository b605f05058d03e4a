import type { OutputSource } from '@throughline/protocol'
import type { AgentFrame } from './agent-frame.ts'
import type { GivenOutput } from './desks.ts'
import { RunLeft } from './run-stopped.ts'
import { type ApprovalQuestion, settledInTime } from './wait-for-approval.ts'

/** A tool call that needs its output from outside. */
export interface OutputQuestion extends ApprovalQuestion {
  /** Who gives the output: the program that shows the chat, or the person in front of it. */
  readonly from: OutputSource
}

/** No output came for the call, or an error came in its place. The model reads the message. */
export class NoOutput extends Error {
  override readonly name = 'NoOutput'
}

/**
 * Waits in a tool call until its output has come from outside, and returns it. Throws `NoOutput` when an error comes, or
 * nothing in time, and the signal's reason after a stop.
 */
export async function waitForOutput(
  frame: AgentFrame,
  { from, ...question }: OutputQuestion,
): Promise<unknown> {
  const { run, writer, signal, messageId, callId } = frame
  const { toolCallId } = question
  // The record has the id that readers see on the stream.
  const { id: requestId, given } = await run.outputs.open({
    ...question,
    from,
    messageId,
    toolCallId: callId ?? toolCallId,
  })
  await writer.write({ type: 'tool-output-request', toolCallId, requestId, from })
  const first = await settledInTime(given, { timeoutMs: run.limits.maxApprovalMs, signal })
  // The call goes on waiting in another process.
  if (first === 'stopped' && signal.reason instanceof RunLeft) throw signal.reason
  // An output may have been accepted in the moment when the time was up. Then it counts.
  const late = typeof first === 'string' ? await run.outputs.withdraw(requestId) : undefined
  if (first === 'stopped') throw signal.reason
  const result = first === 'timeout' ? (late ?? nothingInTime[from]) : first
  if (result.type === 'error') throw new NoOutput(result.errorText)
  return result.output
}

const nothingInTime: Readonly<Record<OutputSource, GivenOutput>> = {
  client: { type: 'error', errorText: 'The program of the user did not run this tool in time.' },
  person: { type: 'error', errorText: 'The user did not answer in time.' },
}
