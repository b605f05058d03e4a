import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { writeToHook } from '@throughline/testing/channels/channel-server'
import type { WebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { textOfOrder, wordsOf } from '../server/order.ts'
import { type ChannelTalk, isWholeIn } from './check-talk.ts'
import type { NodeCluster } from './node-cluster.ts'

interface ChannelTalksOptions {
  readonly cluster: NodeCluster
  /** Gets the posts of the channel, and is their witness. */
  readonly receiver: WebhookReceiver
  readonly seed: number
  /** How many talks go on at the same time. */
  readonly atOnce: number
  /** The fewest and the most words of an answer. */
  readonly words: readonly [number, number]
}

/** A node that does not respond for this time has perhaps not taken the message. */
const timeoutMs = 10_000

/** Talks over the channel `hook`: one question each, whose answer is posted in several blocks. */
export class ChannelTalks {
  readonly #options: ChannelTalksOptions
  readonly #talks: ChannelTalk[] = []
  readonly #lanes: Promise<void>[] = []
  #isFinishing = false
  #patienceEndsAt = Infinity

  constructor(options: ChannelTalksOptions) {
    this.#options = options
    const random = seededRandom(options.seed)
    for (let lane = 0; lane < options.atOnce; lane += 1)
      this.#lanes.push(this.#talk(lane, seededRandom(random.below(2 ** 32))))
    // Reported by `finish`.
    for (const lane of this.#lanes) lane.catch(() => undefined)
  }

  /** Every talk so far. */
  get all(): readonly ChannelTalk[] {
    return this.#talks
  }

  /** Begins nothing new, and waits until all answers were posted, or until the given time is over. */
  async finish(patienceMs: number): Promise<void> {
    this.#isFinishing = true
    this.#patienceEndsAt = Date.now() + patienceMs
    await Promise.all(this.#lanes)
  }

  async #talk(lane: number, random: SeededRandom): Promise<void> {
    const { seed, receiver, words } = this.#options
    for (let number = 1; !this.#isFinishing; number += 1) {
      const id = `talk-${seed}-${lane}-${number}`
      const [fewest, most] = words
      const order = { words: fewest + random.below(most - fewest), padding: 0, pauseMs: 50, hasTool: true }
      const talk = { id, chatId: `hook:${id}`, said: wordsOf(order) }
      await this.#ask(id, textOfOrder(order), random)
      this.#talks.push(talk)
      while (!isWholeIn(receiver.shown, talk) && Date.now() < this.#patienceEndsAt) {
        if (await this.#isLost(talk, random)) break
        await pause(200)
      }
    }
  }

  /** Writes as a platform does: again and again, until the message is confirmed. */
  async #ask(id: string, text: string, random: SeededRandom): Promise<void> {
    while (Date.now() < this.#patienceEndsAt) {
      const asked = writeToHook(this.#options.cluster.anyNode(random).url, { id, conversation: id, text })
      const response = await Promise.race([asked.catch(() => undefined), pause(timeoutMs, undefined)])
      await response?.body?.cancel()
      if (response?.ok === true) return
      if (response !== undefined && response.status <= 500)
        throw new Error(`The channel has refused ${id}: ${response.status}`)
      await pause(200)
    }
  }

  /** Whether the chat is gone, because its database was restored. */
  async #isLost({ chatId }: ChannelTalk, random: SeededRandom): Promise<boolean> {
    const reply = await this.#options.cluster.anyNode(random).client.get(`/api/chats/${chatId}/messages`)
    return reply.type === 'response' && reply.status === 404
  }
}
