import { noContext } from '@throughline/agents/internal'
import { type ChatKey, createId, isMessageId, type MessageId, textOf } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { SubmittedMessage } from '../engine/saved-history.ts'
import { shuttingDown } from '../refusals/run-refusals.ts'
import type { Runner } from '../runs/runner.ts'
import { readUntil, untilOver } from '../signals/read-until.ts'
import { plainSender } from '../who/sender.ts'
import type { OperatorDesk } from './operator-desk.ts'

/** What is needed to write in place of an agent. */
export interface OperatorOptions {
  readonly store: Pick<Store, 'messages' | 'runs' | 'operatorReplies' | 'signals'>
  readonly runner: Pick<Runner, 'submit' | 'over'>
  readonly desk: OperatorDesk
  readonly now: () => Date
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
  const { store, runner, desk, now } = options
  const { text } = saying
  for (;;) {
    const active = await store.runs.active(saying)
    const waiting = active !== undefined && desk.isAnswering(active) ? active : undefined
    const asked = waiting === undefined ? await lastQuestion(store, saying) : undefined
    if (waiting === undefined && asked === undefined) return undefined
    const answerId = waiting?.answerId ?? createId(isMessageId, 'msg')
    if (await store.operatorReplies.add(saying, { answerId, text, at: now().toISOString() })) {
      const begin = async () => waiting ?? (asked && followUp(options, saying, { asked, answerId }))
      const run = await said(options, { ...saying, answerId }, begin)
      if (run !== 'stopped') return run
    }
    // Somebody else answers already, or a new message came in between. It is said after that run.
    if (active !== undefined) await untilOver(store, active, { signal: runner.over })
    if (runner.over.aborted) throw shuttingDown()
  }
}

/**
 * Returns the run in which something was said, or `stopped` when it was not said, and never will be.
 *
 * When this process shuts down, another one may be about to say it. The text is either removed before it is taken, or it
 * counts as said. So nobody is asked to send again what is being said.
 */
async function said(
  { store, runner }: OperatorOptions,
  reply: ChatKey & { readonly answerId: string },
  begin: () => Promise<Run | undefined>,
): Promise<Run | undefined | 'stopped'> {
  const { operatorReplies, signals } = store
  const isSaid = async () => (await operatorReplies.find(reply, reply.answerId))?.isSaid === true
  const remove = () => operatorReplies.remove(reply, reply.answerId)
  try {
    const run = await begin()
    if (run === undefined) {
      await remove()
      return undefined
    }
    const end = await readUntil(signals, reply, {
      signal: runner.over,
      async read() {
        const { status } = (await store.runs.get(run.ownerId, run.id)) ?? {}
        // Read after the status: what is said in a run is said before its end.
        if (await isSaid()) return 'said'
        return status === 'running' ? undefined : 'stopped'
      },
    })
    if (end === 'said') return run
    if (await remove()) return 'stopped'
    // The run has taken the text. If it has ended since, its answer shows whether it came to saying it.
    return end === 'stopped' && !(await hasText(store, reply)) ? 'stopped' : run
  } catch (error) {
    await remove()
    throw error
  }
}

/** Returns whether an answer that has ended has any text. */
async function hasText(
  { messages }: OperatorOptions['store'],
  { answerId, ...chat }: ChatKey & { readonly answerId: string },
): Promise<boolean> {
  const answer = isMessageId(answerId) ? await messages.find(chat, answerId) : undefined
  return answer !== undefined && textOf(answer) !== ''
}

function followUp(
  { runner, desk }: OperatorOptions,
  { ownerId, chatId, as }: Saying,
  { asked, answerId }: { readonly asked: SubmittedMessage; readonly answerId: MessageId },
): Promise<Run> {
  return runner.submit({
    ownerId,
    chatId,
    sender: plainSender,
    kind: 'follow-up',
    message: asked,
    agent: as ?? desk.agent.name,
    context: noContext,
    proposedAnswerId: answerId,
    onBusy: 'interrupt',
  })
}

async function lastQuestion(
  { messages }: OperatorOptions['store'],
  chat: ChatKey,
): Promise<SubmittedMessage | undefined> {
  const id = await messages.last(chat, 'user')
  if (!isMessageId(id)) return undefined
  const message = await messages.find(chat, id)
  return message && { ...message, id }
}
