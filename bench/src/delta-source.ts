import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { toolInputDeltas } from './answers.ts'

/** What a model says, and how fast; both servers are given the same. Also the text of the user's message. */
export type Script = 'text' | 'tool-input' | 'paced-text'

export const scripts = {
  text: { deltas: 20_000, label: '20,000 text deltas at full speed' },
  'tool-input': { deltas: 4_000, label: '4,000 tool-input deltas at full speed' },
  'paced-text': { deltas: 300, label: '20 chats at once, 300 text deltas each, one per 10 ms' },
} as const satisfies Record<Script, { deltas: number; label: string }>

export function isScript(word: string): word is Script {
  return Object.hasOwn(scripts, word)
}

/** As they come off a socket: ten at a time, with a turn of the event loop in between. */
export async function* deltasOf(script: Script): AsyncGenerator<string, void, undefined> {
  const { deltas: count } = scripts[script]
  const deltas = script === 'tool-input' ? toolInputDeltas(count) : Array<string>(count).fill('twelve chars')
  let index = 0
  for (const delta of deltas) {
    if (script === 'paced-text') await wait(10)
    else if (index % 10 === 0) await nextTurn()
    index += 1
    yield delta
  }
}
