import { type Agent, type AgentEvent, currentFrame } from '@throughline/agents'
import type { ChatKey } from '@throughline/protocol'
import type { OperatorReply, ReplyName, Run, Store } from '@throughline/store'
import { RowWaits } from '../signals/row-waits.ts'
import { isPerson, operatorName, personName } from '../who/person.ts'

/**
 * Lets a person answer in place of an agent. For the rest of the program the person is one more agent: what they say
 * is an answer in the log, and is shown and sent like every answer.
 *
 * What the person says is saved before it is said. So the person may write to one process while the answer waits in
 * another one.
 */
export class OperatorDesk {
  readonly #store: Pick<Store, 'operatorReplies' | 'signals'>
  readonly #waits: RowWaits<ReplyName, OperatorReply>

  readonly agent: Agent = {
    name: operatorName,
    displayName: 'Operator',
    description: 'A person who answers in place of the agents.',
    run: ({ signal }) => {
      const { messageId, run } = currentFrame()
      return this.#answer(run, messageId, signal)
    },
  }

  constructor(store: Pick<Store, 'operatorReplies' | 'signals'>) {
    this.#store = store
    this.#waits = new RowWaits({
      signals: store.signals,
      read: names => store.operatorReplies.findAll(names),
      // The store may work again the next time.
      onFailure: () => undefined,
    })
  }

  /** Returns an agent for a person who answers under their own name, such as `user::Ann`. */
  person(target: string): Agent {
    const { description, run } = this.agent
    return { name: target, displayName: personName(target) || this.agent.displayName, description, run }
  }

  /** Returns whether a person answers in this run. */
  isAnswering({ agent }: Pick<Run, 'agent'>): boolean {
    return agent === this.agent.name || isPerson(agent)
  }

  /** Waits for what the person says, and says it. Says nothing when the run is stopped before. */
  async *#answer(
    { ownerId, chatId }: ChatKey,
    answerId: string,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const { operatorReplies, signals } = this.#store
    const chat = { ownerId, chatId }
    for (;;) {
      const reply = await this.#waits.until({ ...chat, answerId }, signal)
      if (reply === undefined || signal.aborted) return
      if (reply.isSaid) break
      // The person may have been told in the meantime that it is not said. Then it must not be said.
      if (!(await operatorReplies.take(chat, answerId))) continue
      yield { type: 'text-delta', text: reply.text }
      // The reader asks for the next event only after it has written this one.
      await operatorReplies.markSaid(chat, answerId)
      signals.ring(chat)
      break
    }
    yield { type: 'finish', finishReason: 'stop' }
  }
}
