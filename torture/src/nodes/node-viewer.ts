import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import { formatPosition, isEndChunk, isRecord } from '@throughline/protocol'
import {
  entryIn,
  type Load,
  type RecordedEvent,
  type Sighting,
  type SseRecorder,
  type Viewer,
} from '@throughline/protocol/history'
import type { StreamEnd } from '@throughline/testing/http/http-client'
import type { NodeCluster } from './node-cluster.ts'

interface ViewerOptions {
  readonly cluster: Pick<NodeCluster, 'anyNode'>
  readonly chatId: string
  /** Where the viewer begins. */
  readonly after: string
  readonly random: SeededRandom
}

/** The nodes send a heartbeat every second. So a longer silence means that the node is paused. */
const maxSilenceMs = 3_000

/**
 * Follows a chat on any node. When the node is killed or silent, and sometimes without a reason, the viewer goes on from
 * its last position on another node. After a reset, and when the chat is gone, it loads the chat again, and sometimes only to
 * compare. Keeps what it got on each connection, and how it has loaded the chat.
 */
export class NodeViewer {
  readonly #options: ViewerOptions
  readonly #sightings: Sighting[] = []
  readonly #loads: Load[] = []
  #resets = 0
  #isReset = false
  #ended = new Set<string>()
  #position: string
  #isLeaving = false

  constructor(options: ViewerOptions) {
    this.#options = options
    this.#position = options.after
  }

  /** What it has seen, for the checks. */
  get seen(): Viewer {
    return { sightings: this.#sightings, hasStayed: true }
  }

  /** How it has loaded the chat, for the checks. */
  get loads(): readonly Load[] {
    return this.#loads
  }

  /** How often the viewer was told that what it had is not valid any more. */
  get resets(): number {
    return this.#resets
  }

  /** Whether the viewer was reset, or told that the chat is gone, and has not loaded the chat since. */
  get isReset(): boolean {
    return this.#isReset
  }

  /** The messages whose end the viewer has seen. */
  get ended(): ReadonlySet<string> {
    return this.#ended
  }

  /** The viewer leaves at the next chance, wherever it is. */
  leave(): void {
    this.#isLeaving = true
  }

  /** Follows the chat until `leave` was called. */
  async watch(): Promise<void> {
    const { random } = this.#options
    while (!this.#isLeaving) {
      // Few viewers stay until their node dies.
      const until = Date.now() + 1_000 + random.below(30_000)
      const end = await this.#connect(() => this.#isLeaving || Date.now() > until)
      if (end === 'refused' && (await this.#isGone())) {
        this.#sightings.push({ after: this.#position, bytes: '', isGone: true })
        this.#reset()
      }
      if (this.#isReset) await this.#begin()
      else if (end === 'refused' || end === 'broken') await pause(200)
      else if (random.next() < 0.5) await this.#load()
    }
  }

  /** Comes back with the last position, long after it has left, and stays for a moment. */
  async comeBack(): Promise<void> {
    // The first heartbeat comes when everything that is new was sent.
    if (!this.#isReset) await this.#connect(({ bytes }) => /^:/m.test(bytes))
  }

  async #connect(isEnough: (seen: SseRecorder) => boolean): Promise<StreamEnd> {
    const { cluster, chatId, random } = this.#options
    const after = this.#position
    let read = 0
    const { client, onFailure } = cluster.anyNode(random)
    const path = `/api/chats/${chatId}/log?after=${after}`
    const began = performance.now()
    const { bytes, arrivals, events, end, status } = await client.follow(path, {
      maxSilenceMs,
      isEnough: seen => {
        for (const event of seen.events.slice(read)) this.#read(event)
        read = seen.events.length
        return isEnough(seen)
      },
    })
    if (end === 'refused' || (end === 'broken' && status === undefined))
      onFailure?.({
        request: `GET ${path}`,
        status,
        hasRetryAfter: false,
        ms: performance.now() - began,
        detail: end,
      })
    this.#sightings.push({ after, bytes, arrivals })
    if (events.some(({ name }) => name === 'reset')) this.#reset()
    return end
  }

  #reset(): void {
    this.#isReset = true
    this.#resets += 1
  }

  async #isGone(): Promise<boolean> {
    const { cluster, chatId, random } = this.#options
    const reply = await cluster.anyNode(random).client.get(`/api/chats/${chatId}/messages`)
    return reply.type === 'response' && reply.status === 404
  }

  /** Loads the chat, and begins there, as a page does after a reset. A chat that is lost may be there again later. */
  async #begin(): Promise<void> {
    while (!this.#isLeaving) {
      const load = await this.#load()
      if (load !== undefined) {
        this.#position = load.position
        this.#ended = new Set(load.messages.flatMap(endedIn))
        this.#isReset = false
        return
      }
      await pause(200)
    }
  }

  async #load(): Promise<Load | undefined> {
    const { cluster, chatId, random } = this.#options
    const askedAt = performance.now()
    const reply = await cluster
      .anyNode(random)
      .client.get(`/api/chats/${chatId}/messages?branches=all&subAgents=separate`)
    const body: unknown = reply.type === 'response' && reply.status === 200 ? JSON.parse(reply.body) : {}
    if (!isRecord(body) || !Array.isArray(body['messages'])) return undefined
    const { messages, position } = body
    const load = { position: String(position), messages, askedAt, at: performance.now() }
    this.#loads.push(load)
    return load
  }

  #read(event: RecordedEvent): void {
    // What is wrong with an event is found by the checks.
    if (event.position === undefined) return
    this.#position = formatPosition(event.position)
    const { chunk, messageId } = entryIn(event)
    if (isEndChunk(chunk)) this.#ended.add(messageId)
  }
}

/** Returns the id of a loaded message that is not being written any more. */
function endedIn(message: unknown): readonly string[] {
  if (!isRecord(message) || message['role'] !== 'assistant') return []
  const { id, metadata } = message
  return isRecord(metadata) && metadata['status'] !== 'streaming' ? [String(id)] : []
}
