import type { Agent } from '@throughline/agents/agent'
import type { AgentEvent } from '@throughline/agents/agent-event'

/**
 * Where a person answers in place of an agent. To everybody else the person is one more agent: what they say is an
 * answer in the log, and goes wherever answers go.
 */
export class OperatorDesk {
  readonly #replies = new Map<string, PromiseWithResolvers<string>>()

  readonly agent: Agent = {
    name: 'operator',
    displayName: 'Operator',
    description: 'A person who answers in place of the agents.',
    run: ({ frame, signal }) => this.#answer(frame?.messageId ?? '', signal),
  }

  /** Says what the answer of this id is to be; also before anybody has begun to wait for it. */
  reply(answerId: string, text: string): void {
    this.#of(answerId).resolve(text)
  }

  async *#answer(answerId: string, signal: AbortSignal): AsyncGenerator<AgentEvent, void, undefined> {
    try {
      const text = await Promise.race([this.#of(answerId).promise, aborted(signal)])
      if (text === undefined) return
      yield { type: 'text-delta', text }
      yield { type: 'finish', finishReason: 'stop' }
    } finally {
      this.#replies.delete(answerId)
    }
  }

  #of(answerId: string): PromiseWithResolvers<string> {
    const known = this.#replies.get(answerId) ?? Promise.withResolvers<string>()
    this.#replies.set(answerId, known)
    return known
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
}
