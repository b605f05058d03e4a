import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/models/demo/seeded-random'
import { describeReply } from '../http/read-chat.ts'
import { type AcceptedRun, type Letter, TorturedChat } from '../scenarios/tortured-chat.ts'
import { wordsOf } from '../server/order.ts'
import type { NodeCluster } from './node-cluster.ts'
import { joinedSightings, NodeViewer } from './node-viewer.ts'

interface NodeChatsOptions {
  readonly cluster: NodeCluster
  readonly seed: number
  /** How many chats go on at the same time. */
  readonly atOnce: number
}

interface Conversation {
  readonly chat: TorturedChat
  readonly viewers: readonly NodeViewer[]
  /** The answers whose ends all viewers must see. */
  readonly answers: Set<string>
}

const viewersPerChat = 3

/** The load of a cluster: chats that begin, are followed on other nodes, and end, again and again. */
export class NodeChats {
  readonly #options: NodeChatsOptions
  readonly #chats: TorturedChat[] = []
  readonly #lanes: Promise<void>[] = []
  #isFinishing = false
  #patienceEndsAt = Infinity
  #unfinished = 0

  constructor(options: NodeChatsOptions) {
    this.#options = options
    const random = seededRandom(options.seed)
    for (let lane = 0; lane < options.atOnce; lane += 1)
      this.#lanes.push(this.#talk(lane, seededRandom(random.below(2 ** 32))))
    // Reported by `finish`.
    for (const lane of this.#lanes) lane.catch(() => undefined)
  }

  /** Every chat so far. */
  get all(): readonly TorturedChat[] {
    return this.#chats
  }

  /** Begins nothing new, and waits until everything has ended. Returns how many chats did not within the given time. */
  async finish(patienceMs: number): Promise<number> {
    this.#isFinishing = true
    this.#patienceEndsAt = Date.now() + patienceMs
    await Promise.all(this.#lanes)
    return this.#unfinished
  }

  async #talk(lane: number, random: SeededRandom): Promise<void> {
    for (let number = 1; !this.#isFinishing; number += 1) {
      const chat = new TorturedChat(`nodes-${this.#options.seed}-${lane}-${number}`)
      this.#chats.push(chat)
      await this.#converse(chat, random)
    }
  }

  /** Sends one or two messages to a chat, and follows it until its answers have ended. Stops some of them. */
  async #converse(chat: TorturedChat, random: SeededRandom): Promise<void> {
    const { cluster } = this.#options
    const first = await this.#send(chat, letterOf(`${chat.id}-1`, random), random)
    const viewers = Array.from(
      { length: viewersPerChat },
      () => new NodeViewer({ cluster, chatId: chat.id, after: first.position, random }),
    )
    const watching = viewers.map(viewer => viewer.watch())
    const answers = new Set([first.responseMessageId])
    if (random.next() < 0.3) {
      // It waits until the first answer has ended, on any node.
      const second = await this.#send(chat, letterOf(`${chat.id}-2`, random), random)
      answers.add(second.responseMessageId)
    } else if (random.next() < 0.15) {
      await pause(random.below(10_000))
      await chat.stop(cluster.anyNode(random).client, `${chat.id}-1`)
    }
    if (!(await this.#untilEnded({ chat, viewers, answers }))) this.#unfinished += 1
    for (const viewer of viewers) viewer.leave()
    await Promise.all(watching)
    for (const { sightings } of viewers) chat.see(sightings)
    chat.seeWhole(viewers.flatMap(({ sightings }) => joinedSightings(sightings) ?? []))
  }

  /** Sends a message until a node accepts it, as clients do. Throws when a node refuses it. */
  async #send(chat: TorturedChat, letter: Letter, random: SeededRandom): Promise<AcceptedRun> {
    for (;;) {
      const { reply, run } = await chat.send(this.#options.cluster.anyNode(random).client, letter)
      if (run !== undefined) return run
      if (reply.type === 'response' && reply.status < 500)
        throw new Error(`Message ${letter.messageId} was refused: ${describeReply(reply)}`)
      if (Date.now() > this.#patienceEndsAt)
        throw new Error(`Message ${letter.messageId} was never accepted: ${describeReply(reply)}`)
      await pause(200)
    }
  }

  async #untilEnded({ viewers, answers }: Conversation): Promise<boolean> {
    const hasEnded = () => viewers.every(({ ended }) => [...answers].every(id => ended.has(id)))
    while (!hasEnded()) {
      if (Date.now() > this.#patienceEndsAt) return false
      await pause(100)
    }
    return true
  }
}

/** An answer takes 8 to 18 seconds if nothing disturbs it. */
function letterOf(messageId: string, random: SeededRandom): Letter {
  const order = { words: 50 + random.below(200), padding: 0, pauseMs: 50, hasTool: true }
  return { messageId, agent: 'master', order, said: wordsOf(order).join(''), onBusy: 'queue' }
}
