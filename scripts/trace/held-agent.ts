import type { AgentEvent } from 'throughline'

let release = () => {}

/** Lets the agent that was asked last answer. */
export function releaseAgent(): void {
  release()
}

/** An agent that says nothing before it is released: it does not run beside what is traced. */
export const heldAgent = {
  displayName: 'Held',
  description: 'Waits.',
  async *run(): AsyncIterable<AgentEvent> {
    await new Promise<void>(resolve => {
      release = resolve
    })
    yield { type: 'text-delta', text: 'Done.' }
    yield { type: 'finish', finishReason: 'stop' }
  },
}
