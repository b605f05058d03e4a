import type { Agent } from '@throughline/agents/agent'
import { findMessage } from '@throughline/protocol/chat-state'
import type { MessageChunk } from '@throughline/protocol/chunk'
import type { Message } from '@throughline/protocol/message'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import type { Run } from '@throughline/store/runs'
import type { RunLog } from './run-log.ts'

export interface Answering {
  readonly run: Run
  readonly agent: Pick<Agent, 'name' | 'displayName'>
  readonly userMessage: Message
}

/** Writes how every run begins, as far as it is not in the log yet: the user's message, then the answer's start. */
export async function beginAnswer(runLog: RunLog, { run, agent, userMessage }: Answering): Promise<void> {
  const { id: runId, userMessageId, answerId } = run
  if (run.kind === 'answer' && findMessage(runLog.chat, userMessageId) === undefined) {
    const chunk: MessageChunk = {
      type: 'data-message',
      id: userMessageId,
      data: userMessage,
      transient: true,
    }
    await runLog.emit({ runId, messageId: userMessageId, chunk })
  }
  if (findMessage(runLog.chat, answerId) === undefined) {
    const messageMetadata = answerMetadata({ run, agent, userMessage })
    await runLog.emit({
      runId,
      messageId: answerId,
      chunk: { type: 'start', messageId: answerId, messageMetadata },
    })
  }
  await runLog.flush()
}

// Everything a page needs to draw the answer's frame is in its first chunk, so no name is ever corrected later.
function answerMetadata({ run, agent, userMessage }: Answering): MessageMetadata {
  const receiverName = userMessage.metadata?.senderName
  return {
    status: 'streaming',
    createdAt: run.startedAt,
    senderName: agent.displayName,
    ...(receiverName === undefined ? {} : { receiverName }),
    communicationType: 'agent-to-user',
    // What stands before it in the log is the answer it takes the place of.
    ...(run.kind === 'another-answer' ? { previousMessageId: run.userMessageId } : {}),
    agentUsed: agent.name,
    agent: { kind: 'master', name: agent.name, displayName: agent.displayName, depth: 0, path: [agent.name] },
  }
}
