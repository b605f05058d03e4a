import { type Agent, type AgentEvent, currentFrame } from '@throughline/agents'
import type { Run } from '@throughline/store'
import { isPerson, operatorName, personName } from '../runs/person.ts'

/** One answer that a person gives, or is expected to give. */
interface PendingAnswer {
  readonly text: PromiseWithResolvers<string>
  readonly said: PromiseWithResolvers<boolean>
  isTaken: boolean
}

/** What a person wants to say. */
export interface OperatorReply {
  /** Resolves with true when it is said, and with false when the answer was stopped before. */
  readonly said: Promise<boolean>
  /** Forgets what the person wanted to say, because its answer will never begin. */
  takeBack(): void
}

/**
 * Lets a person answer in place of an agent. For the rest of the program the person is one more agent: what they say
 * is an answer in the log, and is shown and sent like every answer.
 */
export class OperatorDesk {
  /** By the id of the answer. */
  readonly #pending = new Map<string, PendingAnswer>()

  readonly agent: Agent = {
    name: operatorName,
    displayName: 'Operator',
    description: 'A person who answers in place of the agents.',
    run: ({ signal }) => this.#answer(currentFrame().messageId, signal),
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

  /** The number of answers that somebody waits for, or wants to give. */
  get size(): number {
    return this.#pending.size
  }

  /**
   * Sets the text of an answer. This may happen before the answer begins. Returns `undefined` when the answer has a
   * text already.
   */
  reply(answerId: string, text: string): OperatorReply | undefined {
    const pending = this.#at(answerId)
    if (pending.isTaken) return undefined
    pending.isTaken = true
    pending.text.resolve(text)
    return { said: pending.said.promise, takeBack: () => this.#leave(answerId, pending) }
  }

  async *#answer(answerId: string, signal: AbortSignal): AsyncGenerator<AgentEvent, void, undefined> {
    const pending = this.#at(answerId)
    try {
      const text = await Promise.race([pending.text.promise, aborted(signal)])
      if (text === undefined) return
      yield { type: 'text-delta', text }
      // The reader asks for the next event only after it has written this one.
      pending.said.resolve(true)
      yield { type: 'finish', finishReason: 'stop' }
    } finally {
      pending.said.resolve(false)
      this.#leave(answerId, pending)
    }
  }

  #at(answerId: string): PendingAnswer {
    const known = this.#pending.get(answerId)
    if (known !== undefined) return known
    const pending = {
      text: Promise.withResolvers<string>(),
      said: Promise.withResolvers<boolean>(),
      isTaken: false,
    }
    this.#pending.set(answerId, pending)
    return pending
  }

  #leave(answerId: string, pending: PendingAnswer): void {
    if (this.#pending.get(answerId) === pending) this.#pending.delete(answerId)
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
}
