import type { Agent } from '@throughline/agents/agent'
import type { AgentEvent } from '@throughline/agents/agent-event'
import { currentFrame } from '@throughline/agents/run/agent-frame'
import type { Run } from '@throughline/store/runs'
import { isPerson, operatorName, personName } from '../runs/person.ts'

/** What a person is to say in one answer. */
interface Place {
  readonly text: PromiseWithResolvers<string>
  readonly said: PromiseWithResolvers<boolean>
  isTaken: boolean
}

/** What a person wants to say. */
export interface OperatorReply {
  /** True when it is said; false when it never will be, because the answer was stopped before. */
  readonly said: Promise<boolean>
  /** Forgets it: the answer in which it was to be said will never begin. */
  takeBack(): void
}

/**
 * Where a person answers in place of an agent. To everybody else the person is one more agent: what they say is an
 * answer in the log, and goes wherever answers go.
 */
export class OperatorDesk {
  /** By the answer's id. */
  readonly #places = new Map<string, Place>()

  readonly agent: Agent = {
    name: operatorName,
    displayName: 'Operator',
    description: 'A person who answers in place of the agents.',
    run: ({ signal }) => this.#answer(currentFrame().messageId, signal),
  }

  /** A person who answers under their own name, such as `user::Ann`. */
  person(target: string): Agent {
    const { description, run } = this.agent
    return { name: target, displayName: personName(target) || this.agent.displayName, description, run }
  }

  /** Whether it is a person who answers in this run. */
  isAnswering({ agent }: Pick<Run, 'agent'>): boolean {
    return agent === this.agent.name || isPerson(agent)
  }

  /** How many answers somebody waits for, or wants to give. */
  get size(): number {
    return this.#places.size
  }

  /** Says what an answer is to be, also before anybody waits for it; nothing when somebody has said so already. */
  reply(answerId: string, text: string): OperatorReply | undefined {
    const place = this.#at(answerId)
    if (place.isTaken) return undefined
    place.isTaken = true
    place.text.resolve(text)
    return { said: place.said.promise, takeBack: () => this.#leave(answerId, place) }
  }

  async *#answer(answerId: string, signal: AbortSignal): AsyncGenerator<AgentEvent, void, undefined> {
    const place = this.#at(answerId)
    try {
      const text = await Promise.race([place.text.promise, aborted(signal)])
      if (text === undefined) return
      yield { type: 'text-delta', text }
      // Whoever asks for more has written that down.
      place.said.resolve(true)
      yield { type: 'finish', finishReason: 'stop' }
    } finally {
      place.said.resolve(false)
      this.#leave(answerId, place)
    }
  }

  #at(answerId: string): Place {
    const known = this.#places.get(answerId)
    if (known !== undefined) return known
    const place = {
      text: Promise.withResolvers<string>(),
      said: Promise.withResolvers<boolean>(),
      isTaken: false,
    }
    this.#places.set(answerId, place)
    return place
  }

  #leave(answerId: string, place: Place): void {
    if (this.#places.get(answerId) === place) this.#places.delete(answerId)
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
}
