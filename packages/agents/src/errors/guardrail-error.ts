/** A guardrail of the agent has ended the answer. The message is for the person who reads the answer. */
export class GuardrailError extends Error {
  override readonly name = 'GuardrailError'

  constructor(refused: keyof typeof messages, options?: ErrorOptions) {
    super(messages[refused], options)
  }
}

const messages = {
  question: 'A guardrail of the agent refused this message. Ask in another way.',
  answer: 'A guardrail of the agent refused this answer.',
  tool: 'A guardrail of the agent refused the call of a tool.',
} as const
