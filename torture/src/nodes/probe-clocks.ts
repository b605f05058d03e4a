import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import { isRecord } from '@throughline/protocol'
import type { Violation } from '@throughline/protocol/history'
import type { Reply } from '@throughline/testing/http/http-client'
import { describeReply } from '@throughline/testing/http/read-chat'
import { emptyTally, type Tally } from '../scenarios/tally.ts'
import { TorturedChat } from '../scenarios/tortured-chat.ts'
import type { NodeCluster } from './node-cluster.ts'
import { untilIdle } from './until-idle.ts'

interface ProbeOptions {
  readonly cluster: NodeCluster
  readonly random: SeededRandom
  /** Names the chats of the probe. */
  readonly name: string
  /** The probe ends when this is true. */
  readonly isOver: () => boolean
}

/** D13: what one node writes down about the time is understood by the others, however wrong their clocks are. */
export async function probeClocks(options: ProbeOptions): Promise<Tally> {
  const list = new UsedChats(options)
  const violations: Violation[] = []
  let [tickets, uses] = [0, 0]
  while (!options.isOver() && violations.length === 0) {
    const chatId = await list.use()
    uses += 1
    violations.push(...(await list.check()))
    for (let count = 0; count < 5; count += 1) {
      const detail = await problemOfTicket(chatId, options)
      if (detail === undefined) tickets += 1
      else if (detail !== unknown) violations.push({ kind: 'other', invariant: 'D13', chatId, detail })
    }
  }
  return { ...emptyTally, runs: 0, notes: { tickets, 'uses in lists': uses }, violations }
}

/** Chats that are used one after the other, each on any node. */
class UsedChats {
  readonly #options: ProbeOptions
  /** The last used one comes first. */
  #used: readonly TorturedChat[] = []
  #uses = 0

  constructor(options: ProbeOptions) {
    this.#options = options
  }

  /** Uses a new chat, or one that was used before. Resolves with its id when its answer has ended, which is a use as well. */
  async use(): Promise<string> {
    const { cluster, random, name } = this.#options
    this.#uses += 1
    const isNew = this.#used.length < 3 || random.next() < 0.3
    const known = isNew ? undefined : this.#used[random.below(this.#used.length)]
    const chat = known ?? new TorturedChat(`${name}-${this.#uses}`)
    const order = { words: 5, padding: 0, pauseMs: 50, hasTool: false }
    const messageId = `${name}-${this.#uses}`
    const letter = { messageId, agent: 'master', order, onBusy: 'queue' } as const
    while ((await chat.send(cluster.anyNode(random).client, letter)).run === undefined) await pause(200)
    const messages = await untilIdle(chat.id, {
      node: () => cluster.anyNode(random),
      until: Date.now() + patienceMs,
    })
    if (messages === undefined) throw new Error(`The answer to ${messageId} does not end.`)
    this.#used = [chat, ...this.#used.filter(each => each !== chat)]
    // Nodes know the time of their database as exactly as it responds. On a busy machine it takes a moment.
    await pause(apartMs)
    return chat.id
  }

  /** Every node lists the chats in the order of their use. */
  async check(): Promise<readonly Violation[]> {
    const { cluster, random, name } = this.#options
    const reply = await cluster.anyNode(random).client.get('/api/chats')
    if (reply.type === 'broken' || reply.status >= 500) return []
    const body: unknown = JSON.parse(reply.body)
    const chats: unknown[] = isRecord(body) && Array.isArray(body['chats']) ? body['chats'] : []
    const listed = chats.flatMap(chat => (isRecord(chat) ? [String(chat['id'])] : []))
    const own = listed.filter(id => id.startsWith(`${name}-`))
    const expected = this.#used.map(({ id }) => id)
    if (own.join() === expected.join()) return []
    const detail = `The list has ${own.join(', ')}. They were used in the order ${expected.join(', ')}.`
    return [{ kind: 'other', invariant: 'D13', chatId: 'all chats', detail }]
  }
}

const patienceMs = 120_000
const apartMs = 1_000
/** A ticket is about as old as the difference of two clocks that show the same time. */
const maxDifferenceMs = 5 * 60_000
const unknown = 'One of the nodes does not respond.'

/** Returns what is wrong with a ticket of one node on another one. */
async function problemOfTicket(
  chatId: string,
  { cluster, random }: ProbeOptions,
): Promise<string | undefined> {
  const [issuer, opener] = [cluster.anyNode(random), cluster.anyNode(random)]
  const issued = await issuer.client.post('/api/tickets', { chatId })
  if (issued.type === 'broken' || issued.status >= 500) return unknown
  const { ticket, expiresAt } = ticketIn(issued)
  const left = Date.parse(expiresAt) - Date.now()
  // The torture has the clock of the database.
  if (Math.abs(left) > maxDifferenceMs) return `A ticket of ${issuer.name} ends at ${expiresAt}.`
  const path = `/api/chats/${chatId}/log?ticket=${encodeURIComponent(ticket)}`
  const { end } = await opener.client.follow(path, { isEnough: () => true, maxSilenceMs: 3_000 })
  if (end === 'left') return undefined
  if (end !== 'refused') return unknown
  const refused = await opener.client.get(path)
  return `A ticket of ${issuer.name} opens nothing on ${opener.name}: ${describeReply(refused)}`
}

function ticketIn(reply: Extract<Reply, { type: 'response' }>): { ticket: string; expiresAt: string } {
  const body: unknown = JSON.parse(reply.body)
  if (!isRecord(body)) throw new TypeError(`There is no ticket in ${reply.body}`)
  return { ticket: String(body['ticket']), expiresAt: String(body['expiresAt']) }
}
