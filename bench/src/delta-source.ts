import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { toolInputDeltas } from './answers.ts'

/**
 * What the model writes, and how fast. Both servers play the same script. The user's message contains its name, so that
 * the server knows which one to play.
 */
export type Script = 'text' | 'tool-input' | 'paced-text' | 'short-text'

export const scripts = {
  text: { deltas: 20_000, label: '20,000 text deltas at full speed' },
  'tool-input': { deltas: 4_000, label: '4,000 tool-input deltas at full speed' },
  'paced-text': { deltas: 300, label: '20 chats at once, 300 text deltas each, one per 10 ms' },
  'short-text': { deltas: 5, label: '5 text deltas, one per 10 ms' },
} as const satisfies Record<Script, { deltas: number; label: string }>

export function isScript(word: string): word is Script {
  return Object.hasOwn(scripts, word)
}

/** Yields the deltas of a script: ten per turn of the event loop, as from a socket, or one per 10 ms. */
export async function* deltasOf(script: Script): AsyncGenerator<string, void, undefined> {
  const { deltas: count } = scripts[script]
  const deltas = script === 'tool-input' ? toolInputDeltas(count) : Array<string>(count).fill('twelve chars')
  let index = 0
  for (const delta of deltas) {
    if (script === 'paced-text' || script === 'short-text') await wait(10)
    else if (index % 10 === 0) await nextTurn()
    index += 1
    yield delta
  }
}
