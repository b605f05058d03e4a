import { noContext } from '@throughline/agents/internal'
import { type ChatKey, createId, isMessageId, type Message, type MessageId } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { Runner } from '../runs/runner.ts'
import { plainSender } from '../runs/sender.ts'
import type { OperatorDesk, OperatorReply } from './operator-desk.ts'

/** What is needed to write in place of an agent. */
export interface OperatorOptions {
  readonly store: { readonly messages: Pick<Store['messages'], 'find' | 'last'> }
  readonly runner: Pick<Runner, 'active' | 'submit'>
  readonly operators: OperatorDesk
}

/** What a person writes in place of an agent. */
export interface Saying extends ChatKey {
  readonly text: string
  /** Who says it, such as `user::Ann`. By default the operator. */
  readonly as?: string | undefined
}

/**
 * Lets a person say something in place of the agent. If a message waits for the person, this is the answer to it.
 * Otherwise it is one more message after the last answer. Resolves with the run in which it was said, or with
 * `undefined` when nobody has written in the chat yet.
 */
export async function sayAsOperator(options: OperatorOptions, saying: Saying): Promise<Run | undefined> {
  const { runner, operators } = options
  const { text } = saying
  for (;;) {
    const active = runner.active(saying)
    const waiting = active !== undefined && operators.isAnswering(active.run) ? active.run : undefined
    const answerId = waiting?.answerId ?? createId(isMessageId, 'msg')
    const reply = operators.reply(answerId, text)
    if (reply !== undefined) {
      const run = await said(options, reply, () => waiting ?? followUp(options, saying, answerId))
      if (run !== 'stopped') return run
    }
    // Somebody else answers already, or a new message came in between. It is said after that run.
    await active?.ended
  }
}

/** Returns the run in which something was said, or `stopped` when it was not said. */
async function said(
  { runner }: OperatorOptions,
  reply: OperatorReply,
  begin: () => Run | Promise<Run | undefined>,
): Promise<Run | undefined | 'stopped'> {
  try {
    const run = await begin()
    if (run === undefined) return undefined
    const active = runner.active(run)
    const ended = active?.run.id === run.id ? active.ended : Promise.resolve()
    const isSaid = await Promise.race([reply.said, ended.then(() => false)])
    return isSaid ? run : 'stopped'
  } finally {
    reply.takeBack()
  }
}

async function followUp(
  { store, runner, operators }: OperatorOptions,
  { ownerId, chatId, as }: Saying,
  answerId: MessageId,
): Promise<Run | undefined> {
  const asked = await lastQuestion(store, { ownerId, chatId })
  if (asked === undefined) return undefined
  return runner.submit({
    ownerId,
    chatId,
    sender: plainSender,
    kind: 'follow-up',
    message: asked,
    agent: as ?? operators.agent.name,
    context: noContext,
    proposedAnswerId: answerId,
    onBusy: 'interrupt',
  })
}

async function lastQuestion(
  { messages }: OperatorOptions['store'],
  chat: ChatKey,
): Promise<(Message & { readonly id: MessageId }) | undefined> {
  const id = await messages.last(chat, 'user')
  if (!isMessageId(id)) return undefined
  const message = await messages.find(chat, id)
  return message && { ...message, id }
}
