import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { type Fault, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { startNumberedProvider } from '../provider/numbered-provider.ts'
import { wordsOf } from '../server/order.ts'
import { checkChat } from './check-chat.ts'
import { assertAlive, type OpenServer, openServer } from './open-server.ts'
import type { Scenario } from './scenario.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'
import { TorturedChat } from './tortured-chat.ts'

/**
 * The network between the server and its model provider breaks while the model speaks. What it had said is kept, nothing
 * of it is repeated, and the run ends.
 */
export const provider: Scenario = {
  name: 'provider',
  unit: 'cuts',
  async open(place) {
    const numbered = await startNumberedProvider()
    let next: Fault = { type: 'none' }
    const proxy = await startFaultProxy(numbered.url, () => next)
    const opened = await openServer(place, { providerUrl: proxy.url })
    return {
      // The server opens the connections. With one run at a time, each run gets the fault of its own seed.
      lanes: 1,
      run(seed) {
        const random = seededRandom(seed)
        next = randomFault(random)
        return providerCase(opened, { seed, random, isCut: 'afterBytes' in next })
      },
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]()
        await proxy[Symbol.asyncDispose]()
        await numbered[Symbol.asyncDispose]()
      },
    }
  },
}

interface ProviderCase {
  readonly seed: number
  readonly random: SeededRandom
  readonly isCut: boolean
}

async function providerCase(opened: OpenServer, { seed, random, isCut }: ProviderCase): Promise<Tally> {
  const { client, server } = opened
  assertAlive(server)
  const chat = new TorturedChat(`provider-${seed}`)
  const order = { words: 40 + random.below(60), padding: 5, pauseMs: 0, hasTool: false }
  const letter = { messageId: `${chat.id}-1`, agent: 'model', order, onBusy: 'reject' } as const
  const { reply, run } = await chat.send(client, { ...letter, said: wordsOf(order).join('') })
  if (run === undefined) throw new Error(`Not accepted: ${JSON.stringify(reply)}`)
  const checked = await checkChat(chat, { client, patienceMs: 20_000 })
  return addTallies([checked ?? emptyTally, { ...emptyTally, done: isCut ? 1 : 0, runs: 1 }])
}

function randomFault(random: SeededRandom): Fault {
  // Request and head have about 900 bytes, and each word about 180. An earlier cut makes the AI SDK wait for seconds.
  const afterBytes = 1_200 + random.below(7_000)
  const chance = random.next()
  if (chance < 0.5) return { type: 'cut', afterBytes }
  if (chance < 0.92) return { type: 'reset', afterBytes }
  if (chance < 0.95) return { type: 'black-hole', afterBytes }
  return random.pick<Fault>([
    { type: 'latency', delayMs: 1 + random.below(3) },
    { type: 'trickle' },
    { type: 'none' },
  ])
}
