import { createHash } from 'node:crypto'
import type { Agent } from '@throughline/agents'
import { type ChatKey, isMessageId, type Message, type MessageId, ProblemError } from '@throughline/protocol'
import {
  type AnotherAnswer,
  type NewMessage,
  namedPlace,
  type Submission,
} from '../../admission/submission.ts'
import { type AskedAgent, askedAgent, enabledNames, offeredModels } from '../../who/asked-agent.ts'
import { isPerson, maxPersonName, personName, personTarget } from '../../who/person.ts'
import { takeFiles } from '../attachments/take-files.ts'
import type { Services } from '../request/context.ts'
import { forPerson, messageNotFound } from '../request/problems.ts'
import { userMessageFrom } from '../request/requests.ts'
import { assertNoOwnTool } from './client-tools.ts'

interface Asked extends ChatKey {
  readonly sender: Submission['sender']
  readonly agent?: string | undefined
  /** The name of the model that is to answer. Default: the agent's own. */
  readonly model?: string | undefined
  readonly expected_assistant_message_id?: string | undefined
  /** Tools that the request brings. */
  readonly clientTools?: Submission['clientTools']
  readonly context: Submission['context']
  readonly onBusy: Submission['onBusy']
}

/** A request that brings a new message. */
export interface AskedWithMessage extends Asked {
  readonly message: unknown
  /** The message that the new one follows; empty for the beginning. By default the end of the chat. */
  readonly after?: string | undefined
}

/**
 * Checks a new message and its receiver, and takes the data out of its files. Throws when the message cannot be saved, or
 * nobody has that name.
 */
export async function submissionFrom(services: Services, asked: AskedWithMessage): Promise<NewMessage> {
  const { now } = services
  const { ownerId, chatId, sender, context, onBusy, after, clientTools } = asked
  const isToPerson = isPerson(asked.agent ?? '')
  const receiver = isToPerson ? undefined : await agentNamed(services, asked)
  const agent = receiver ?? personNamed(asked.agent ?? '')
  const model = receiver && checkedModel(services, receiver, asked.model)
  if (receiver !== undefined) assertNoOwnTool(services, receiver, clientTools)
  const taken = await takeFiles(services, asked, asked.message)
  const message = userMessageFrom(taken.message, {
    from: sender.displayName,
    to: agent.displayName,
    at: now().toISOString(),
    isToPerson,
    model,
  })
  return {
    ownerId,
    chatId,
    sender,
    kind: isToPerson ? 'message' : 'answer',
    message,
    files: taken.files,
    place: namedPlace(after),
    agent: agent.name,
    model,
    clientTools,
    proposedAnswerId: asked.expected_assistant_message_id,
    context,
    onBusy,
  }
}

/**
 * For a client that edits a message. The edited message stays as it is. What the client sends is a new message, which
 * follows the same message as the edited one.
 */
export async function editFrom(
  services: Services,
  asked: AskedWithMessage & { readonly messageId: string },
): Promise<NewMessage> {
  return inPlaceOf(services, await submissionFrom(services, asked), asked.messageId)
}

/**
 * For a client that wants another answer to the message that its page shows. The page may show an edited text under the
 * id of the first message, or a message that never arrived here. Then this is a new message.
 */
export async function shownAgainFrom(services: Services, asked: AskedWithMessage): Promise<Submission> {
  const submission = await submissionFrom(services, asked)
  const shown = await inPlaceOf(services, submission, submission.message.id)
  const messageId = shown.message.id
  const known = await services.store.messages.find(shown, messageId)
  return known === undefined ? shown : anotherAnswerFrom(services, { ...asked, messageId })
}

/** Puts a new message in the place of the one that it edits, if it edits one. */
async function inPlaceOf({ store }: Services, submission: NewMessage, editedId: string): Promise<NewMessage> {
  const { message } = submission
  const edited = isMessageId(editedId) ? await store.messages.find(submission, editedId) : undefined
  const isSameId = message.id === editedId
  if (edited?.role !== 'user' || (isSameId && isSameText(edited, message))) return submission
  const id = isSameId ? editId(message) : message.id
  const metadata = { ...message.metadata, originalMessageId: editedId }
  const after = await store.messages.previous(submission, editedId)
  return { ...submission, message: { ...message, id, metadata }, place: namedPlace(after) }
}

/** Returns an id for an edited message, computed from its text. So the same request sent again has the same id. */
export function editId({ id, parts }: Pick<Message, 'id' | 'parts'>): MessageId {
  const digest = createHash('sha256')
    .update(JSON.stringify([id, parts]))
    .digest('hex')
  const made = `edit_${digest.slice(0, 32)}`
  if (!isMessageId(made)) throw new TypeError(`"${made}" is not a message id.`)
  return made
}

/**
 * Checks a request for another answer to a message that the chat has. By default the agent that answered first answers
 * again, with the model that was chosen for the message, if both are still there. Throws when there is no such message,
 * or when it was for a person.
 */
export async function anotherAnswerFrom(
  services: Services,
  asked: Asked & { readonly messageId: string },
): Promise<AnotherAnswer> {
  const { store } = services
  const { ownerId, chatId, sender, context, onBusy, clientTools } = asked
  const messageId = await answeredMessage(store, asked)
  const message = await store.messages.find(asked, messageId)
  if (message?.role !== 'user') throw messageNotFound(chatId, asked.messageId)
  const first = await store.runs.ofUserMessage(asked, messageId)
  const answering = asked.agent ?? first?.agent ?? ''
  if (isPerson(answering)) throw forPerson(answering)
  const before = asked.agent ?? (first && (await nameIfKnown(services, asked, first.agent)))
  const agent = await agentNamed(services, { ...asked, agent: before })
  assertNoOwnTool(services, agent, clientTools)
  return {
    ownerId,
    chatId,
    sender,
    kind: 'another-answer',
    message: { ...message, id: messageId },
    agent: agent.name,
    model: checkedModel(services, agent, asked.model) ?? modelBefore(services, agent, message),
    clientTools,
    proposedAnswerId: asked.expected_assistant_message_id,
    context,
    onBusy,
  }
}

/** Returns the id of the user's message. A client may send that id, or the id of an answer to the message. */
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

/** Returns the name when there is still an agent of that name, and `undefined` otherwise. */
async function nameIfKnown(services: Services, asked: Asked, name: string): Promise<string | undefined> {
  return (await findAgent(services, asked, name))?.name
}

/** Returns the agent that was asked for; the server's first one when none was named. */
async function agentNamed(services: Services, asked: Asked): Promise<AskedAgent> {
  const { agents } = services
  const { agent: name } = asked
  const [first] = agents.values()
  const agent: AskedAgent | undefined = name === undefined ? first : await findAgent(services, asked, name)
  if (agent !== undefined && mayKnow(services, asked, agent)) {
    if (agent.isEnabled === false) throw cannotAnswer(agent)
    return agent
  }
  const known = enabledNames(agents).join(', ')
  throw new ProblemError(
    400,
    'unknown-agent',
    `There is no agent ${name === undefined ? 'to answer by default' : JSON.stringify(name.slice(0, 100))}. Known agents: ${known}.`,
  )
}

/** Returns the model that was asked for. Throws when it cannot be chosen for this agent. */
function checkedModel(services: Services, agent: Agent, name: string | undefined): string | undefined {
  const offered = offeredModels(services, agent)
  if (name === undefined || offered.includes(name)) return name
  const what =
    offered.length === 0
      ? `For the agent "${agent.name}" no model can be chosen. Send no "model".`
      : `It is none of those that can be chosen for the agent "${agent.name}": ${offered.join(', ')}.`
  throw new ProblemError(
    400,
    'unknown-model',
    `The model ${JSON.stringify(name.slice(0, 100))} is not offered. ${what}`,
  )
}

/** Returns the model that was chosen for a message, if it can still be chosen for this agent. */
function modelBefore(services: Services, agent: Agent, { metadata }: Message): string | undefined {
  return offeredModels(services, agent).find(name => name === metadata?.chosenModel)
}

/**
 * Returns whether a person may know that there is this agent. One that is switched off does not exist for strangers: a
 * definition is known to the person who made it, and an agent in code to operators.
 */
function mayKnow({ agents, isOperator }: Services, { ownerId }: Asked, agent: Agent): boolean {
  return agent.isEnabled !== false || !agents.has(agent.name) || isOperator(ownerId)
}

function findAgent(services: Services, asked: Asked, name: string): Promise<AskedAgent | undefined> {
  const { ownerId, context } = asked
  const { workspaceId, pageId } = context
  return askedAgent(services, { ownerId, name: name.normalize('NFC'), workspaceId, pageId })
}

function cannotAnswer({ name, missingModel }: AskedAgent): ProblemError {
  if (missingModel !== undefined) {
    const detail = `The model ${JSON.stringify(missingModel)} of the agent "${name}" is not offered any more. Choose another model for the agent.`
    return new ProblemError(409, 'model-not-offered', detail)
  }
  const detail = `The agent "${name}" is switched off for now. Ask another one: GET /api/agents lists them.`
  return new ProblemError(409, 'agent-disabled', detail)
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
