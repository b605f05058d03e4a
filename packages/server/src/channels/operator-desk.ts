import { type Agent, type AgentEvent, currentFrame } from '@throughline/agents'
import type { ChatKey } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { isPerson, operatorName, personName } from '../runs/person.ts'
import { readUntil } from '../signals/read-until.ts'

/**
 * Lets a person answer in place of an agent. For the rest of the program the person is one more agent: what they say
 * is an answer in the log, and is shown and sent like every answer.
 *
 * What the person says is saved before it is said. So the person may write to one process while the answer waits in
 * another one.
 */
export class OperatorDesk {
  readonly #store: Pick<Store, 'operatorReplies' | 'signals'>

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
    const reply = await readUntil(signals, chat, {
      signal,
      // The store may work again the next time.
      read: () => operatorReplies.find(chat, answerId).catch(() => undefined),
    })
    if (reply === undefined || signal.aborted) return
    if (!reply.isSaid) {
      yield { type: 'text-delta', text: reply.text }
      // The reader asks for the next event only after it has written this one.
      await operatorReplies.markSaid(chat, answerId)
      signals.ring(chat)
    }
    yield { type: 'finish', finishReason: 'stop' }
  }
}
