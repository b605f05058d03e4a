import { defineConfig } from 'throughline'

// The configuration of a server as people deploy it, with a plain agent of one's own. The question says when the deltas of
// its answer are due, so nothing but the question connects the agent with the bench.
export default defineConfig({
  master: 'plan',
  agents: {
    plan: {
      description: 'Writes the answer that the question plans.',
      async *run({ messages }) {
        const part = messages.at(-1)?.parts.find(({ type }) => type === 'text')
        const question = part !== undefined && 'text' in part ? String(part.text) : ''
        const [startMs = 0, intervalMs = 0, deltas = 0, chars = 0] =
          /plan 1970 ([\d. ]+)$/.exec(question)?.[1]?.split(' ').map(Number) ?? []
        for (let number = 0; number < deltas; number += 1) {
          const waitMs = startMs + number * intervalMs - performance.timeOrigin - performance.now()
          if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, Math.ceil(waitMs)))
          yield { type: 'text-delta', text: `t${String(number).padStart(chars - 1, '0')}` }
        }
        yield { type: 'finish', finishReason: 'stop' }
      },
    },
  },
})
