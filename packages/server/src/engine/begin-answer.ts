import type { Agent } from '@throughline/agents'
import { findMessage, type Message, type MessageChunk, type MessageMetadata } from '@throughline/protocol'
import { hasAnswer, hasNewMessage, type Run } from '@throughline/store'
import { isPerson, operatorName } from '../who/person.ts'
import type { RunLog } from './run-log.ts'

/** The run whose first entries are written, and who takes part in it. */
export interface Answering {
  readonly run: Run
  /** Who answers. `undefined` when the message is only for a person. */
  readonly agent: Pick<Agent, 'name' | 'displayName'> | undefined
  readonly userMessage: Message
  /** The id that the client expects the answer to have. The answer may have another one. */
  readonly expectedId?: string | undefined
}

// The longest id.
const maxExpectedLength = 128

/**
 * Emits the first entries of a run, if they are not in the log yet: the user's message, and the start of the answer. They
 * are in the log after the next `flush`.
 */
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
}

// The first chunk has everything that a page shows around the answer. So no name is corrected later.
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
    // A user who gave no name is called by the id of the account.
    receiverName: userMessage.metadata?.senderName || run.ownerId,
    communicationType: isOfPerson ? 'user-to-user' : 'agent-to-user',
    originalMessageId: isExpected ? expectedId : run.answerId,
    // In the log, it stands after the answers from before. It must not follow them.
    ...(run.kind === 'another-answer' ? { previousMessageId: run.userMessageId } : {}),
    agentUsed: agent.name,
    ...(isOfPerson ? {} : { agent: { kind: 'master', name, displayName, depth: 0, path: [name] } }),
  }
}
