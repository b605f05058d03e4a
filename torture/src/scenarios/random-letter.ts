import type { SeededRandom } from '@throughline/agents/testing'
import type { Letter } from './tortured-chat.ts'

/** Returns a message: most for the agent that says numbered words, some for the one that delegates. */
export function randomLetter(random: SeededRandom, messageId: string): Letter {
  const order = {
    words: 3 + random.below(40),
    padding: random.pick([0, 0, 20, 300]),
    pauseMs: random.pick([0, 1, 3]),
    hasTool: random.next() < 0.5,
  }
  const base = { messageId, order, onBusy: 'queue' } as const
  return random.next() < 0.15 ? { ...base, agent: 'master', said: undefined } : { ...base, agent: 'script' }
}
