import type { Agent, AgentFrame } from '@throughline/agents'
import { type AgentOutcome, delegationResults, runAgent, settleCalls } from '@throughline/agents/internal'
import { findMessage, type Message, type MessageRecord, messageOf } from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import type { Resumption } from './resumption.ts'
import type { RunLog } from './run-log.ts'

interface Resuming {
  /** The chat so far, without the answer. */
  readonly messages: readonly Message[]
  readonly runLog: RunLog
  readonly resumption: Resumption
}

/**
 * Lets an agent go on with an answer whose process died. First every call without a result is settled, and the step that
 * was cut is ended. Then the agent writes what comes after the answer so far. If the model had said everything, only the
 * end is written.
 */
export async function resumeAgent(
  agent: Agent,
  frame: AgentFrame,
  resuming: Resuming,
): Promise<AgentOutcome> {
  const { messages, runLog, resumption } = resuming
  const answerNow = async (): Promise<MessageRecord> => {
    await runLog.flush()
    return findMessage(runLog.chat, frame.messageId) ?? resumption.answer
  }
  const all = keyedToArray(runLog.chat.messages)
  for (const event of delegationResults(resumption.answer, all)) await frame.writer.write(event)
  await settleCalls(frame, await answerNow())
  if (resumption.isInStep && !frame.signal.aborted) await frame.writer.write({ type: 'step-end' })
  const answerSoFar = messageOf(await answerNow())
  return runAgent(resumption.isComplete ? saysNoMore(agent) : agent, frame, { messages, answerSoFar })
}

function saysNoMore(agent: Agent): Agent {
  return {
    name: agent.name,
    displayName: agent.displayName,
    async *run() {
      yield { type: 'finish', finishReason: 'stop' }
    },
  }
}
