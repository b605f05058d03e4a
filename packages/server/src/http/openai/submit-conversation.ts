import { noContext } from '@throughline/agents/run/request-context'
import { type ChatKey, createId, isMessageId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Run } from '@throughline/store/runs'
import type { Seat } from '../../runs/chat-viewers.ts'
import type { Submission, SubmittedMessage } from '../../runs/submission.ts'
import { contentSubmission } from '../chat/content-submission.ts'
import type { Services } from '../context.ts'
import { submissionFrom } from '../submission.ts'
import { type Conversation, type Said, textIn } from './conversation.ts'

export interface AskedInConversation extends ChatKey {
  readonly sender: Submission['sender']
  readonly agent: string
  readonly conversation: Conversation
  /** Metadata of the question. */
  readonly metadata?: Message['metadata']
}

/**
 * Asks the last question of a conversation. If the chat does not exist, it begins with what was said before the question.
 * If it exists, the question is placed by comparing what the client sent with what the chat has.
 */
export async function submitConversation(
  services: Services,
  asked: AskedInConversation,
  seat: Seat,
): Promise<Run> {
  return services.runner.submit(await submissionOf(services, asked), seat)
}

async function submissionOf(services: Services, asked: AskedInConversation): Promise<Submission> {
  const { conversation, metadata, ...to } = asked
  const { before, question } = conversation
  const common = { ...to, context: noContext, onBusy: 'interrupt-unviewed' } as const
  const chat = await services.store.chats.get(asked)
  const isNew = chat === undefined && (await isBegun(services, asked))
  if (isNew) {
    const message = { id: createId(isMessageId, 'msg'), role: 'user', parts: question.parts, metadata }
    return submissionFrom(services, { ...common, message })
  }
  const message = { role: 'user', content: question.parts }
  const shown = [...before, question].map(said => ({ id: undefined, role: said.role, text: textIn(said) }))
  return contentSubmission(services, { ...common, message, shown })
}

/** Saves what was said before the question. Returns false when somebody else has made the chat in the meantime. */
async function isBegun(
  { runner, now }: Services,
  { ownerId, chatId, agent, conversation }: AskedInConversation,
): Promise<boolean> {
  const createdAt = now().toISOString()
  const [first, ...others] = conversation.before.map(said => importedMessage(said, createdAt))
  if (first === undefined) return true
  return runner.importHistory({ ownerId, chatId, agent, messages: [first, ...others] })
}

function importedMessage({ role, parts }: Said, createdAt: string): SubmittedMessage {
  const id = createId(isMessageId, 'msg')
  return role === 'user'
    ? { id, role, parts, metadata: { createdAt, communicationType: 'user-to-agent' } }
    : { id, role, parts, metadata: { createdAt, communicationType: 'agent-to-user', status: 'finished' } }
}
