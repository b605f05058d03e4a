import { type ClientTool, noContext } from '@throughline/agents/internal'
import {
  type ChatKey,
  createId,
  isChatId,
  isMessageId,
  isRunId,
  type Message,
  type OwnerId,
} from '@throughline/protocol'
import { hasAnswer, type MessageFile, type Run } from '@throughline/store'
import { z } from 'zod'
import type { Submission } from '../../admission/submission.ts'
import type { SubmittedMessage } from '../../engine/saved-history.ts'
import type { Presence } from '../../stream/chat-viewers.ts'
import { partsOfResponseId, type ResponseRequest } from '../../stream/openai/response.ts'
import type { Sender } from '../../who/sender.ts'
import { takeFiles } from '../attachments/take-files.ts'
import type { Services } from '../request/context.ts'
import { chatIdFrom } from '../request/requests.ts'
import { contentSubmission } from '../submit/content-submission.ts'
import { submissionFrom } from '../submit/submission.ts'
import { type OpenAiConversation, type Said, textIn } from './conversation.ts'
import { responseNotFound } from './open-ai-problem.ts'
import { openAiConversationOf, questionOf, type ResponseBody } from './response-body.ts'

/** A conversation of an OpenAI client, and the chat that it belongs to. */
export interface AskedInConversation extends ChatKey {
  readonly sender: Submission['sender']
  readonly agent: string
  readonly conversation: OpenAiConversation
  readonly clientTools: Submission['clientTools']
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
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
  presence: Presence,
): Promise<Run> {
  return services.runner.submit(await submissionOf(services, asked), presence)
}

async function submissionOf(services: Services, asked: AskedInConversation): Promise<Submission> {
  const { conversation, metadata, ...to } = asked
  const { before, question } = conversation
  const common = { ...to, context: noContext, onBusy: 'interrupt-unviewed' } as const
  if ((await services.store.chats.get(asked)) === undefined) {
    const message = { id: createId(isMessageId, 'msg'), role: 'user', parts: question.parts, metadata }
    // A question that is refused must not leave a chat behind, so it is checked first.
    const submission = await submissionFrom(services, { ...common, message })
    if (await isBegun(services, asked)) return submission
  }
  const message = { role: 'user', content: question.parts }
  const shown = [...before, question].map(said => ({ id: undefined, role: said.role, text: textIn(said) }))
  return contentSubmission(services, { ...common, message, shown })
}

/** Saves what was said before the question. Returns false when somebody else has made the chat in the meantime. */
async function isBegun(
  services: Services,
  { ownerId, chatId, agent, conversation, closed }: AskedInConversation,
): Promise<boolean> {
  const createdAt = services.now().toISOString()
  const messages: SubmittedMessage[] = []
  const files = new Map<string, MessageFile>()
  for (const said of conversation.before) {
    closed.throwIfAborted()
    const taken = await takeFiles(services, { ownerId, chatId }, said)
    const { parts } = savedParts.parse(taken.message)
    messages.push(importedMessage({ role: said.role, parts }, createdAt))
    for (const file of taken.files) files.set(file.id, file)
  }
  const [first, ...others] = messages
  if (first === undefined) return true
  return services.runner.importHistory({
    ownerId,
    chatId,
    agent,
    messages: [first, ...others],
    files: [...files.values()],
  })
}

/** The parts of a message whose files have been taken. */
const savedParts = z.object({
  parts: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({
        type: z.literal('file'),
        mediaType: z.string(),
        url: z.string(),
        filename: z.string().optional(),
      }),
    ]),
  ),
})

function importedMessage(
  { role, parts }: Pick<SubmittedMessage, 'parts'> & Pick<Said, 'role'>,
  createdAt: string,
): SubmittedMessage {
  const id = createId(isMessageId, 'msg')
  return role === 'user'
    ? { id, role, parts, metadata: { createdAt, communicationType: 'user-to-agent' } }
    : { id, role, parts, metadata: { createdAt, communicationType: 'agent-to-user', status: 'finished' } }
}

/** Where a new response belongs. */
interface ResponseChat extends ChatKey {
  /** The answer that the question follows. By default it goes to the end of the chat. */
  readonly after?: string
}

/**
 * Returns the chat that a request continues: that of an earlier response, or the one it names. Otherwise a new one.
 * Throws a 404 problem when there is no such response.
 */
export async function responseChat(
  services: Services,
  ownerId: OwnerId,
  { previous_response_id: previous, conversation }: ResponseBody,
): Promise<ResponseChat> {
  if (previous != null) {
    const { chatId, answerId } = await responseRun(services, ownerId, previous)
    return { ownerId, chatId, after: answerId }
  }
  const chatId = conversation == null ? createId(isChatId, 'chat') : chatIdFrom(conversation)
  return { ownerId, chatId }
}

/** Returns the run of a response. Throws a 404 problem when the owner has none with this id. */
export async function responseRun({ store }: Services, ownerId: OwnerId, id: string): Promise<Run> {
  const { runId } = partsOfResponseId(id)
  const run = isRunId(runId) ? await store.runs.get(ownerId, runId) : undefined
  if (run !== undefined && hasAnswer(run) && !(await isDeleted(store, run))) return run
  throw responseNotFound(id)
}

/** Returns whether the messages of a run were deleted. The run itself stays, so that its question is not answered again. */
async function isDeleted({ messages }: Services['store'], run: Run): Promise<boolean> {
  if ((await messages.find(run, run.userMessageId)) === undefined) return true
  // An answer that is being written is not saved yet.
  return run.status !== 'running' && (await messages.find(run, run.answerId)) === undefined
}

/** A request for a response, with its sender and its chat. */
interface AskedForResponse {
  readonly body: ResponseBody
  /** What the response repeats of the body. */
  readonly request: ResponseRequest
  readonly clientTools: readonly ClientTool[]
  readonly chat: ResponseChat
  readonly sender: Sender
  readonly presence: Presence
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
}

/** Starts the run of a new response. */
export async function submitResponse(
  services: Services,
  { body, request, clientTools, chat, sender, presence, closed }: AskedForResponse,
): Promise<Run> {
  const { ownerId, chatId, after } = chat
  const metadata = { openai: request }
  const to = { ownerId, chatId, sender, agent: body.model, clientTools }
  if (after === undefined && (await services.store.chats.get(chat)) === undefined)
    return submitConversation(
      services,
      { ...to, conversation: openAiConversationOf(body), metadata, closed },
      presence,
    )
  const { parts } = questionOf(body)
  const message = { id: createId(isMessageId, 'msg'), role: 'user', parts, metadata }
  const submission = await submissionFrom(services, {
    ...to,
    message,
    after,
    context: noContext,
    onBusy: 'queue',
  })
  return services.runner.submit(submission, presence)
}
