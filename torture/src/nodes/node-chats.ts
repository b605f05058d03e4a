import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { isRecord } from '@throughline/protocol'
import { describeReply } from '@throughline/testing/http/read-chat'
import { type AcceptedRun, type Letter, TorturedChat } from '../scenarios/tortured-chat.ts'
import { wordsOf } from '../server/order.ts'
import type { NodeCluster } from './node-cluster.ts'
import { NodeViewer } from './node-viewer.ts'

interface NodeChatsOptions {
  readonly cluster: Pick<NodeCluster, 'anyNode'>
  readonly seed: number
  /** How many chats go on at the same time. */
  readonly atOnce: number
  /** The fewest and the most words of an answer. A word takes 50 ms, and the tools of an answer 6 seconds. */
  readonly words: readonly [number, number]
  /** Whether the database may lose what it has acknowledged. Then messages are sent again, and nothing is stopped. */
  readonly mayLose: boolean
}

/** One chat, and who follows it. */
export interface Conversation {
  readonly chat: TorturedChat
  readonly viewers: readonly NodeViewer[]
}

/** A conversation that goes on. */
interface OpenConversation extends Conversation {
  readonly random: SeededRandom
  readonly letters: Letter[]
  /** The answers whose ends all viewers must see, by the ids of the messages. */
  readonly answers: Map<string, string>
}

const viewersPerChat = 3

/** The load of a cluster: chats that begin, are followed on other nodes, and end, again and again. */
export class NodeChats {
  readonly #options: NodeChatsOptions
  readonly #conversations: Conversation[] = []
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
  get all(): readonly Conversation[] {
    return this.#conversations
  }

  /** Begins nothing new, and waits until everything has ended. Returns how many chats did not within the given time. */
  async finish(patienceMs: number): Promise<number> {
    this.#isFinishing = true
    this.#patienceEndsAt = Date.now() + patienceMs
    await Promise.all(this.#lanes)
    return this.#unfinished
  }

  async #talk(lane: number, random: SeededRandom): Promise<void> {
    for (let number = 1; !this.#isFinishing; number += 1)
      await this.#converse(new TorturedChat(`nodes-${this.#options.seed}-${lane}-${number}`), random)
  }

  /** Sends one or two messages to a chat, and follows it until its answers have ended. Stops some of them. */
  async #converse(chat: TorturedChat, random: SeededRandom): Promise<void> {
    const { cluster, mayLose } = this.#options
    const letter = this.#letterOf(`${chat.id}-1`, random)
    const first = await this.#send(chat, letter, random)
    const viewers = Array.from(
      { length: viewersPerChat },
      () => new NodeViewer({ cluster, chatId: chat.id, after: first.position, random }),
    )
    this.#conversations.push({ chat, viewers })
    const watching = viewers.map(viewer => viewer.watch())
    using _leaving = leaving(viewers)
    const answers = new Map([[letter.messageId, first.responseMessageId]])
    const letters = [letter]
    if (random.next() < 0.3) {
      // It waits until the first answer has ended, on any node.
      const second = this.#letterOf(`${chat.id}-2`, random)
      letters.push(second)
      answers.set(second.messageId, (await this.#send(chat, second, random)).responseMessageId)
    } else if (random.next() < 0.15 && !mayLose) {
      await pause(random.below(10_000))
      await chat.stop(cluster.anyNode(random).client, `${chat.id}-1`)
    }
    if (!(await this.#untilEnded({ chat, viewers, random, letters, answers }))) this.#unfinished += 1
    for (const viewer of viewers) viewer.leave()
    await Promise.all(watching)
  }

  /** Sends a message until a node accepts it, as clients do. Throws when a node refuses it. */
  async #send(chat: TorturedChat, letter: Letter, random: SeededRandom): Promise<AcceptedRun> {
    for (;;) {
      const { reply, run } = await chat.send(this.#options.cluster.anyNode(random).client, letter)
      if (run !== undefined) return run
      // D12: 500 is no fault that passes.
      if (reply.type === 'response' && reply.status <= 500)
        throw new Error(`Message ${letter.messageId} was refused: ${describeReply(reply)}`)
      if (Date.now() > this.#patienceEndsAt)
        throw new Error(`Message ${letter.messageId} was never accepted: ${describeReply(reply)}`)
      await pause(200)
    }
  }

  async #untilEnded(conversation: OpenConversation): Promise<boolean> {
    const { viewers, answers } = conversation
    const hasEnded = () => viewers.every(({ ended }) => [...answers.values()].every(id => ended.has(id)))
    let resets = 0
    while (!hasEnded()) {
      if (Date.now() > this.#patienceEndsAt) return false
      const before = resets
      resets = viewers.reduce((sum, viewer) => sum + viewer.resets, 0)
      const isReset = resets > before || viewers.some(viewer => viewer.isReset)
      if (this.#options.mayLose && isReset) await this.#sendLost(conversation)
      await pause(100)
    }
    return true
  }

  /** After a reset, a person sends again what is not in the chat any more. */
  async #sendLost({ chat, random, letters, answers }: OpenConversation): Promise<void> {
    const { client } = this.#options.cluster.anyNode(random)
    const reply = await client.get(`/api/chats/${chat.id}/messages?branches=all`)
    const body: unknown = reply.type === 'response' && reply.status < 500 ? JSON.parse(reply.body) : undefined
    if (body === undefined) return
    const messages = isRecord(body) && Array.isArray(body['messages']) ? body['messages'] : []
    for (const letter of letters) {
      if (messages.some(message => isRecord(message) && message['id'] === letter.messageId)) continue
      chat.forget(letter.messageId)
      answers.set(letter.messageId, (await this.#send(chat, letter, random)).responseMessageId)
    }
  }

  #letterOf(messageId: string, random: SeededRandom): Letter {
    const [fewest, most] = this.#options.words
    const order = { words: fewest + random.below(most - fewest), padding: 0, pauseMs: 50, hasTool: true }
    return { messageId, agent: 'master', order, said: wordsOf(order).join(''), onBusy: 'queue' }
  }
}

/** When the load ends with an error, viewers must not watch for ever. */
function leaving(viewers: readonly NodeViewer[]): Disposable {
  return {
    [Symbol.dispose]() {
      for (const viewer of viewers) viewer.leave()
    },
  }
}
