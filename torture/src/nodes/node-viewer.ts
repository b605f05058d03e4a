import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/models/demo/seeded-random'
import { isEndChunk } from '@throughline/protocol/entry'
import { formatPosition, parsePosition } from '@throughline/protocol/position'
import type { Sighting } from '../history/history.ts'
import { entryIn, loggedEventsIn } from '../history/logged-events.ts'
import { follow } from '../http/follow.ts'
import type { NodeCluster } from './node-cluster.ts'

interface ViewerOptions {
  readonly cluster: NodeCluster
  readonly chatId: string
  /** Where the viewer begins. */
  readonly after: string
  readonly random: SeededRandom
}

/** The nodes send a heartbeat every second. So a longer silence means that the node is paused. */
const maxSilenceMs = 3_000

/**
 * Follows a chat on any node. When the node is killed or silent, and sometimes without a reason, the viewer goes on from
 * its last position on another node. Keeps what it got on each connection.
 */
export class NodeViewer {
  readonly #options: ViewerOptions
  readonly #sightings: Sighting[] = []
  readonly #ended = new Set<string>()
  #position: string
  #isLeaving = false

  constructor(options: ViewerOptions) {
    this.#options = options
    this.#position = options.after
  }

  get sightings(): readonly Sighting[] {
    return this.#sightings
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
    const { cluster, chatId, random } = this.#options
    while (!this.#isLeaving) {
      const after = this.#position
      // Few viewers stay until their node dies.
      const until = Date.now() + 1_000 + random.below(30_000)
      let read = 0
      const { bytes, end } = await follow(cluster.anyNode(random).url, {
        path: `/api/chats/${chatId}/log?after=${after}`,
        maxSilenceMs,
        isEnough: soFar => {
          read = this.#read(soFar, read)
          return this.#isLeaving || Date.now() > until
        },
      })
      this.#sightings.push({ after, bytes })
      if (end === 'refused' || end === 'broken') await pause(200)
    }
  }

  /** Reads the events that are complete. Returns up to where. */
  #read(bytes: string, from: number): number {
    const to = bytes.lastIndexOf('\n\n') + 2
    if (to <= from) return from
    for (const event of loggedEventsIn(bytes.slice(from, to))) {
      // What is wrong with an event is found by the checks.
      if (event.position === undefined) continue
      this.#position = formatPosition(event.position)
      const { chunk, messageId } = entryIn(event)
      if (isEndChunk(chunk)) this.#ended.add(messageId)
    }
    return to
  }
}

/** Returns what a viewer got on all its connections, as if it were one. Leaves out what was cut in the middle. */
export function joinedSightings(sightings: readonly Sighting[]): Sighting | undefined {
  const [first] = sightings
  if (first === undefined || parsePosition(first.after) === undefined) return undefined
  const bytes = sightings.flatMap(sighting => loggedEventsIn(sighting.bytes).map(event => event.bytes))
  return { after: first.after, bytes: bytes.join('') }
}
