import { noContext, type RequestContext } from '@throughline/agents/internal'
import {
  type ChatId,
  createId,
  isChatId,
  isMessageId,
  type Message,
  type OnBusy,
} from '@throughline/protocol'
import type { Services } from '../http/request/context.ts'
import { type Identity, senderFrom } from '../http/sign-in/identity.ts'
import { type AcceptedRun, acceptSubmission } from '../http/submit/accept-submission.ts'
import { submissionFrom } from '../http/submit/submission.ts'
import { chatKey } from './named-chat.ts'

/**
 * A message that the application's own code sends. `ownerId` is needed, and either `text` or `message`. `displayName`,
 * `roles` and `tools` describe the person for whom it is sent, as `authenticate` does. Default: no name, no roles, and all
 * tools.
 */
export interface MessageToSend extends Pick<Identity, 'displayName' | 'roles' | 'tools'> {
  /**
   * Whose chat it is: the name before the token, or the `ownerId` of `authenticate`. Without both, everybody is `local`.
   */
  readonly ownerId: string
  /** The id of the chat. The chat is created if it does not exist. Default: a new chat. */
  readonly chatId?: string | undefined
  /** The text of the message. */
  readonly text?: string | undefined
  /**
   * The id of a message that is sent as `text`. A message with an id is answered once, however often it is sent.
   * Default: a new id.
   */
  readonly messageId?: string | undefined
  /** The message in the form of the AI SDK, with its id. */
  readonly message?: Message | undefined
  /** The name of the agent that answers. Default: the first agent. */
  readonly agent?: string | undefined
  /** The name of the model that answers, one of those that can be chosen for the agent. Default: the agent's own. */
  readonly model?: string | undefined
  /** The message that the new one follows; empty for the beginning of the chat. Default: the last message. */
  readonly after?: string | undefined
  /** Where the person is: workspace and tabs. Tools read it with `toolContext()`. Default: nothing is known. */
  readonly context?: RequestContext | undefined
  /**
   * What to do when the chat has a run already. `reject` throws `chat-busy`, `queue` waits for the end of that run, and
   * `interrupt` stops it. Default: `reject`.
   */
  readonly onBusy?: OnBusy | undefined
}

/** The run of a message that was sent. */
export interface SentMessage extends AcceptedRun {
  /** The id of the chat, also when it is new. */
  readonly chatId: ChatId
}

/**
 * Starts a run. Resolves as soon as its first entries are in the log; the run goes on by itself. Throws a
 * `ProblemError` with a `code` when the message cannot be sent, such as `chat-busy` or `unknown-agent`.
 */
export async function sendMessage(services: Services, asked: MessageToSend): Promise<SentMessage> {
  const { agent, model, after, context = noContext, onBusy = 'reject' } = asked
  const chat = chatKey({ ...asked, chatId: asked.chatId ?? createId(isChatId, 'chat') })
  const submission = await submissionFrom(services, {
    ...chat,
    sender: senderFrom(asked),
    message: asked.message ?? messageFrom(asked),
    agent,
    model,
    after,
    context,
    onBusy,
  })
  return { chatId: chat.chatId, ...(await acceptSubmission(services, submission)) }
}

function messageFrom({ text, messageId = createId(isMessageId, 'msg') }: MessageToSend): unknown {
  return { id: messageId, role: 'user', parts: [{ type: 'text', text }] }
}
