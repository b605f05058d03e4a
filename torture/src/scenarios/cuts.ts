import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { type Fault, type FaultProxy, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { type Following, HttpClient } from '@throughline/testing/http/http-client'
import { checkChat } from './check-chat.ts'
import { assertAlive, type OpenServer, openServer } from './open-server.ts'
import { randomLetter } from './random-letter.ts'
import type { Scenario } from './scenario.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'
import { type AcceptedRun, hasEndOf, TorturedChat } from './tortured-chat.ts'

const lanes = 6
/** Longer than a healthy connection is silent, and short, because a black hole costs this much time. */
const maxSilenceMs = 60

/**
 * A client asks over a network that breaks. It sends its message until it is accepted, and follows the log over as many
 * connections as it takes. Every connection begins after the last event that came whole.
 */
export const cuts: Scenario = {
  name: 'cuts',
  unit: 'cuts',
  async open(place) {
    const opened = await openServer(place)
    const networks = await Promise.all(Array.from({ length: lanes }, () => openNetwork(opened.url)))
    return {
      lanes,
      run: (seed, lane) => cutCase(opened, networks[lane % lanes] ?? networks[0], seed),
      async [Symbol.asyncDispose]() {
        for (const { proxy } of networks) await proxy[Symbol.asyncDispose]()
        await opened[Symbol.asyncDispose]()
      },
    }
  },
}

/** A proxy for one client. The client has one connection at a time, and says first what happens to it. */
interface Network {
  readonly proxy: FaultProxy
  next: Fault
}

async function openNetwork(url: string): Promise<Network> {
  const state = { next: none }
  const proxy = await startFaultProxy(url, () => state.next)
  return Object.assign(state, { proxy })
}

const none: Fault = { type: 'none' }

async function cutCase(opened: OpenServer, network: Network | undefined, seed: number): Promise<Tally> {
  if (network === undefined) throw new TypeError('There is no network.')
  assertAlive(opened.server)
  const random = seededRandom(seed)
  const chat = new TorturedChat(`cut-${seed}`)
  const sent = await sendOverCuts(chat, network, random)
  const followed = await followOverCuts(chat, network, { random, ...sent })
  const { client } = opened
  const checked = await checkChat(chat, { client, patienceMs: 20_000 })
  const foreign = await followForeignPosition(chat, opened, random)
  return addTallies([checked ?? emptyTally, foreign, { ...emptyTally, done: sent.cuts + followed, runs: 1 }])
}

/** Sends a message until a 202 comes back whole. */
async function sendOverCuts(chat: TorturedChat, network: Network, random: SeededRandom) {
  const letter = { ...randomLetter(random, `${chat.id}-1`), onBusy: 'reject' } as const
  for (let cuts = 0; ; cuts += 1) {
    // The first attempts may be cut anywhere in the request or the response. The fault counts both.
    network.next = cuts < 2 ? { type: random.pick(['cut', 'reset']), afterBytes: random.below(900) } : none
    using client = new HttpClient(network.proxy.url)
    const { reply, run } = await chat.send(client, letter)
    if (run !== undefined) return { cuts, run }
    if (reply.type === 'response') throw new Error(`Not accepted: ${reply.status} ${reply.body}`)
  }
}

/** Follows the log to the end of the run. Returns how many connections were cut. */
async function followOverCuts(
  chat: TorturedChat,
  network: Network,
  { random, run }: { readonly random: SeededRandom; readonly run: AcceptedRun },
): Promise<number> {
  let { position } = run
  for (let cuts = 0; ; cuts += 1) {
    network.next = randomFault(random)
    using client = new HttpClient(network.proxy.url)
    const seen = await client.follow(`/api/chats/${chat.id}/log?after=${position}`, {
      isEnough: hasEndOf(run),
      maxSilenceMs,
    })
    chat.see([{ after: position, bytes: seen.bytes, arrivals: seen.arrivals }])
    if (seen.end === 'left') return cuts
    position = lastPosition(seen) ?? position
  }
}

function randomFault(random: SeededRandom): Fault {
  const chance = random.next()
  // The head of the request and of the response have about 500 bytes.
  const afterBytes = 300 + random.below(1_100)
  if (chance < 0.55) return { type: 'cut', afterBytes }
  if (chance < 0.95) return { type: 'reset', afterBytes }
  if (chance < 0.97) return { type: 'black-hole', afterBytes }
  return chance < 0.985 ? { type: 'latency', delayMs: 1 + random.below(5) } : { type: 'trickle' }
}

function lastPosition({ events }: Following): string | undefined {
  const position = events.at(-1)?.position
  return position && `${position.epoch}.${position.seq}`
}

/** B3: asks for a position that the log does not have. The check of the next reading expects a reset. */
async function followForeignPosition(
  chat: TorturedChat,
  { client }: OpenServer,
  random: SeededRandom,
): Promise<Tally> {
  if (random.next() > 0.1) return emptyTally
  const after = random.pick(['0123456789abcdef.3', 'nonsense', '0123456789abcdef.99999'])
  const path = `/api/chats/${chat.id}/log?after=${after}`
  const { bytes } = await client.follow(path, { isEnough: ({ events }) => events.length > 0 })
  chat.see([{ after, bytes }])
  return (await checkChat(chat, { client, patienceMs: 0 })) ?? emptyTally
}
