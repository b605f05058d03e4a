import type { Agent } from '@throughline/agents/agent'
import { findMessage } from '@throughline/protocol/chat-state'
import type { MessageChunk } from '@throughline/protocol/chunk'
import type { Message } from '@throughline/protocol/message'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import { hasAnswer, hasNewMessage, type Run } from '@throughline/store/runs'
import { isPerson, operatorName } from './person.ts'
import type { RunLog } from './run-log.ts'

export interface Answering {
  readonly run: Run
  /** Who answers; nobody when the message is for a person. */
  readonly agent: Pick<Agent, 'name' | 'displayName'> | undefined
  readonly userMessage: Message
  /** The id that the client expects the answer to have, whether or not it could have that one. */
  readonly expectedId?: string | undefined
}

// As long as an id can be.
const maxExpectedLength = 128

/** Writes how every run begins, as far as it is not in the log yet: the user's message, then the answer's start. */
export async function beginAnswer(runLog: RunLog, answering: Answering): Promise<void> {
  const { run, agent, userMessage } = answering
  const { id: runId, userMessageId, answerId } = run
  const isNew = hasNewMessage(run)
  if (isNew && findMessage(runLog.chat, userMessageId) === undefined) {
    const chunk: MessageChunk = {
      type: 'data-message',
      id: userMessageId,
      data: userMessage,
      transient: true,
    }
    await runLog.emit({ runId, messageId: userMessageId, chunk })
  }
  if (agent !== undefined && hasAnswer(run) && findMessage(runLog.chat, answerId) === undefined) {
    const messageMetadata = answerMetadata({ ...answering, agent })
    await runLog.emit({
      runId,
      messageId: answerId,
      chunk: { type: 'start', messageId: answerId, messageMetadata },
    })
  }
  await runLog.flush()
}

// Everything a page needs to draw the answer's frame is in its first chunk, so no name is ever corrected later.
function answerMetadata({
  run,
  agent,
  userMessage,
  expectedId = '',
}: Answering & { readonly agent: Pick<Agent, 'name' | 'displayName'> }): MessageMetadata {
  const { name, displayName } = agent
  const isOfPerson = isPerson(name) || name === operatorName
  const isExpected = expectedId !== '' && expectedId.length <= maxExpectedLength
  return {
    status: 'streaming',
    createdAt: run.startedAt,
    senderName: agent.displayName,
    // Who gave no name is known by the account alone.
    receiverName: userMessage.metadata?.senderName || run.ownerId,
    communicationType: isOfPerson ? 'user-to-user' : 'agent-to-user',
    originalMessageId: isExpected ? expectedId : run.answerId,
    // What stands before it in the log is the answer it takes the place of.
    ...(run.kind === 'another-answer' ? { previousMessageId: run.userMessageId } : {}),
    agentUsed: agent.name,
    ...(isOfPerson ? {} : { agent: { kind: 'master', name, displayName, depth: 0, path: [name] } }),
  }
}
