/**
 * The parts of an answer that says "Let me look. ", calls the tool `weather` for Lisbon, and then says "It is clear.". Every
 * kind of agent has to give these, whatever library it was made with.
 */
export const textToolTextParts = [
  { type: 'step-start' },
  { type: 'text', text: 'Let me look. ' },
  {
    type: 'tool-weather',
    state: 'output-available',
    input: { city: 'Lisbon' },
    output: { city: 'Lisbon', sky: 'clear' },
  },
  { type: 'data-step', data: { status: 'completed' } },
  { type: 'step-start' },
  { type: 'text', text: 'It is clear.' },
]
