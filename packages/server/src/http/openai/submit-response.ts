import { type ClientTool, noContext } from '@throughline/agents/internal'
import { type ChatKey, createId, isChatId, isMessageId, isRunId, type OwnerId } from '@throughline/protocol'
import { hasAnswer, type Run } from '@throughline/store'
import type { Presence } from '../../stream/chat-viewers.ts'
import { partsOfResponseId, type ResponseRequest } from '../../stream/openai/response.ts'
import type { Sender } from '../../who/sender.ts'
import type { Services } from '../request/context.ts'
import { chatIdFrom } from '../request/requests.ts'
import { submissionFrom } from '../submit/submission.ts'
import { responseNotFound } from './open-ai-problem.ts'
import { openAiConversationOf, questionOf, type ResponseBody } from './response-body.ts'
import { submitConversation } from './submit-conversation.ts'

/** Where a new response belongs. */
export interface ResponseChat extends ChatKey {
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
export interface AskedForResponse {
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
