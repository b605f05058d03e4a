import { serverSentence } from '@throughline/protocol/internal'

/** A guardrail of the agent has ended the answer. The message is for the person who reads the answer. */
export class GuardrailError extends Error {
  override readonly name = 'GuardrailError'

  constructor(refused: 'question' | 'answer' | 'tool', options?: ErrorOptions) {
    super(serverSentence(`guardrail-${refused}`), options)
  }
}
