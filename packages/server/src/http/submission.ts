import { createHash } from 'node:crypto'
import type { Agent } from '@throughline/agents/agent'
import { previousOf } from '@throughline/protocol/branches'
import { type ChatKey, isMessageId, type MessageId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import { ProblemError } from '@throughline/protocol/problem'
import type { Submission } from '../runs/claim-run.ts'
import { isPerson, maxPersonName, personName, personTarget } from '../runs/person.ts'
import type { Services } from './context.ts'
import { forPerson, messageNotFound } from './problems.ts'
import { userMessageFrom } from './requests.ts'

interface Asked extends ChatKey {
  readonly agent?: string | undefined
  readonly expected_assistant_message_id?: string | undefined
  readonly context: Submission['context']
  readonly onBusy: Submission['onBusy']
}

export interface AskedWithMessage extends Asked {
  readonly message: unknown
  readonly after?: string | undefined
}

/** A request for an answer, checked: a known agent, or a person, and a message that can be saved. */
export function submissionFrom({ agents, now }: Services, asked: AskedWithMessage): Submission {
  const { ownerId, chatId, context, onBusy, after } = asked
  const isToPerson = isPerson(asked.agent ?? '')
  const agent = isToPerson ? personNamed(asked.agent ?? '') : agentNamed(agents, asked.agent)
  const message = userMessageFrom(asked.message, {
    to: agent.displayName,
    at: now().toISOString(),
    isToPerson,
  })
  return {
    ownerId,
    chatId,
    messageId: message.id,
    kind: isToPerson ? 'message' : 'answer',
    message,
    after,
    agent: agent.name,
    proposedAnswerId: asked.expected_assistant_message_id,
    context,
    onBusy,
  }
}

/** A request by a client that changes a message: the first stays as it is, and what came in is new, in its place. */
export function editFrom(
  services: Services,
  asked: AskedWithMessage & { readonly messageId: string },
): Promise<Submission> {
  return inPlaceOf(services, submissionFrom(services, asked), asked.messageId)
}

/**
 * A request by a client for another answer to the message that its page shows. That may be a changed text under the
 * id of the first, or a message that never arrived: then this is its first answer.
 */
export async function shownAgainFrom(services: Services, asked: AskedWithMessage): Promise<Submission> {
  const submission = submissionFrom(services, asked)
  const shown = await inPlaceOf(services, submission, submission.messageId)
  const known = await services.store.messages.find(shown, shown.messageId)
  return known === undefined ? shown : anotherAnswerFrom(services, { ...asked, messageId: shown.messageId })
}

async function inPlaceOf({ store }: Services, submission: Submission, editedId: string): Promise<Submission> {
  const { message, messageId } = submission
  const edited = isMessageId(editedId) ? await store.messages.find(submission, editedId) : undefined
  const isSameId = messageId === editedId
  if (edited?.role !== 'user' || (isSameId && isSameText(edited, message))) return submission
  const id = isSameId ? editId(message) : messageId
  const metadata = { ...message.metadata, originalMessageId: editedId }
  const after = previousOf(await store.messages.outline(submission), editedId)
  return { ...submission, messageId: id, message: { ...message, id, metadata }, after }
}

/** An id that follows from what the message says: the same request again is the same message. */
export function editId({ id, parts }: Pick<Message, 'id' | 'parts'>): MessageId {
  const digest = createHash('sha256')
    .update(JSON.stringify([id, parts]))
    .digest('hex')
  const made = `edit_${digest.slice(0, 32)}`
  if (!isMessageId(made)) throw new TypeError(`"${made}" is not a message id.`)
  return made
}

/** A request for another answer to a message that is there already; by default from whom it was asked first. */
export async function anotherAnswerFrom(
  { agents, store }: Services,
  asked: Asked & { readonly messageId: string },
): Promise<Submission> {
  const { ownerId, chatId, context, onBusy } = asked
  const messageId = await answeredMessage(store, asked)
  const message = await store.messages.find(asked, messageId)
  if (message?.role !== 'user') throw messageNotFound(chatId, asked.messageId)
  const first = await store.runs.ofUserMessage(asked, messageId)
  const answering = asked.agent ?? first?.agent ?? ''
  if (isPerson(answering)) throw forPerson(answering)
  const isKnown = first !== undefined && agents.has(first.agent)
  return {
    ownerId,
    chatId,
    messageId,
    kind: 'another-answer',
    message,
    agent: agentNamed(agents, asked.agent ?? (isKnown ? first.agent : undefined)).name,
    proposedAnswerId: asked.expected_assistant_message_id,
    context,
    onBusy,
  }
}

/** The user's message that is meant: the one of this id, or the one that the answer of this id answers. */
async function answeredMessage(
  store: Services['store'],
  { messageId, ...chat }: Asked & { readonly messageId: string },
): Promise<MessageId> {
  if (!isMessageId(messageId)) throw messageNotFound(chat.chatId, messageId)
  const run = await store.runs.ofAnswer(chat, messageId)
  return run?.userMessageId ?? messageId
}

function isSameText(one: Message, other: Message): boolean {
  return JSON.stringify(one.parts) === JSON.stringify(other.parts)
}

function agentNamed(agents: ReadonlyMap<string, Agent>, name: string | undefined): Agent {
  const [first] = agents.values()
  const agent = name === undefined ? first : agents.get(name)
  if (agent !== undefined) return agent
  const known = [...agents.keys()].join(', ')
  throw new ProblemError(
    400,
    'unknown-agent',
    `There is no agent ${JSON.stringify(name?.slice(0, 100))}. Known agents: ${known}.`,
  )
}

function personNamed(target: string): Pick<Agent, 'name' | 'displayName'> {
  const name = personName(target)
  if (name !== '' && name.length <= maxPersonName) return { name: personTarget(name), displayName: name }
  throw new ProblemError(
    400,
    'unknown-agent',
    `"user::" is followed by the name of a person, of up to ${maxPersonName} characters.`,
  )
}
