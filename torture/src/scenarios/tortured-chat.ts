import { isRecord } from '@throughline/protocol'
import type {
  Accepted,
  ChatHistory,
  Load,
  Sighting,
  SseRecorder,
  Stop,
  Viewer,
} from '@throughline/protocol/history'
import type { HttpClient, Reply } from '@throughline/testing/http/http-client'
import type { ChatReading } from '@throughline/testing/http/read-chat'
import { type Order, textOfOrder, wordsOf } from '../server/order.ts'

/** A message that is sent to a chat. */
export interface Letter {
  readonly messageId: string
  readonly agent: 'script' | 'master' | 'model'
  readonly order: Order
  /** What the agent says, if it is not what the order says. `undefined`: unknown. */
  readonly said?: string | undefined
  readonly onBusy: 'reject' | 'queue' | 'interrupt'
}

/** What came of sending a letter. */
export interface Sent {
  readonly reply: Reply
  /** `undefined` when the letter was not accepted. */
  readonly run: AcceptedRun | undefined
}

/** What a 202 says. */
export interface AcceptedRun extends Accepted {
  /** Where the run begins in the log. */
  readonly position: string
}

/** Returns a test of what has come of a log: whether the run has ended there. */
export function hasEndOf({ responseMessageId }: AcceptedRun): (seen: SseRecorder) => boolean {
  const end = new RegExp(`"messageId":"${responseMessageId}","chunk":\\{"type":"(?:finish|abort|error)"`)
  return ({ events }) => events.some(({ data }) => end.test(data))
}

interface Kept {
  readonly letter: Letter
  readonly sentAt: number
  readonly accepted: Accepted[]
}

/** One chat of a case. Keeps everything that was asked of it and that viewers saw of it, for the checks. */
export class TorturedChat {
  readonly id: string
  readonly #letters = new Map<string, Kept>()
  readonly #stops: Stop[] = []
  #viewers: Viewer[] = []
  #loads: readonly Load[] = []

  constructor(id: string) {
    this.id = id
  }

  /** Sends a letter. The same letter may be sent many times. */
  async send(client: HttpClient, letter: Letter): Promise<Sent> {
    const known = this.#letters.get(letter.messageId)
    const kept = known ?? { letter, sentAt: performance.now(), accepted: [] }
    this.#letters.set(letter.messageId, kept)
    const { messageId, order, agent, onBusy } = letter
    const message = { id: messageId, role: 'user', parts: [{ type: 'text', text: textOfOrder(order) }] }
    const reply = await client.post(`/api/chats/${this.id}/messages`, { message, agent, onBusy })
    if (reply.type === 'broken' || reply.status !== 202) return { reply, run: undefined }
    const body: unknown = JSON.parse(reply.body)
    if (!isRecord(body)) throw new TypeError(`A 202 without a body: ${reply.body}`)
    const accepted = { runId: String(body['runId']), responseMessageId: String(body['responseMessageId']) }
    kept.accepted.push({ ...accepted, at: performance.now() })
    return { reply, run: { ...accepted, position: String(body['position']) } }
  }

  /** Stops the run of a letter. */
  async stop(client: HttpClient, messageId: string): Promise<Reply> {
    const began = performance.now()
    const reply = await client.post(`/api/chat/${this.id}/stop`, {})
    if (reply.type === 'response' && reply.status === 200) {
      const body: unknown = JSON.parse(reply.body)
      const result = isRecord(body) ? String(body['result']) : ''
      const at = performance.now()
      this.#stops.push({ messageId, result, ms: at - began, at })
    }
    return reply
  }

  /** Keeps what viewers saw who had one connection each. */
  see(sightings: readonly Sighting[]): void {
    this.watch(sightings.map(sighting => ({ sightings: [sighting], hasStayed: false })))
  }

  /** Keeps what viewers saw. */
  watch(viewers: readonly Viewer[]): void {
    this.#viewers.push(...viewers)
  }

  /** Keeps how the chat was loaded. */
  load(loads: readonly Load[]): void {
    this.#loads = [...this.#loads, ...loads]
  }

  /** Forgets that a letter was accepted, because its database has lost it. */
  forget(messageId: string): void {
    this.#letters.get(messageId)?.accepted.splice(0)
  }

  /** Forgets that letters were accepted with other runs than these, because their database has lost those. */
  keepRuns(runIds: ReadonlySet<string>): void {
    for (const { accepted } of this.#letters.values()) {
      const kept = accepted.filter(({ runId }) => runIds.has(runId))
      accepted.splice(0, Infinity, ...kept)
    }
  }

  /** Returns the letters that no 202 came back for. */
  unanswered(): readonly Letter[] {
    return [...this.#letters.values()].flatMap(({ letter, accepted }) =>
      accepted.length === 0 ? [letter] : [],
    )
  }

  /** Returns the history so far, as the checks need it. */
  history({ messages, log }: Extract<ChatReading, { type: 'chat' }>, isRunning: boolean): ChatHistory {
    return {
      chatId: this.id,
      saved: { log, messages, isRunning },
      submissions: [...this.#letters.values()].map(({ letter, sentAt, accepted }) => ({
        messageId: letter.messageId,
        text: textOfOrder(letter.order),
        said: 'said' in letter ? letter.said : wordsOf(letter.order).join(''),
        sentAt,
        accepted,
      })),
      viewers: this.#viewers,
      loads: this.#loads,
      stops: this.#stops,
    }
  }

  /** Forgets what viewers saw, because it was compared. What the log had then must still be there later. */
  settle({ log, position }: Extract<ChatReading, { type: 'chat' }>): void {
    this.#viewers = []
    this.#loads = []
    if (log !== '') this.see([{ after: position.replace(/\.\d+$/, '.0'), bytes: log }])
  }

  /** Whether the server has said that it has a message of this chat. */
  get isKnown(): boolean {
    return [...this.#letters.values()].some(({ accepted }) => accepted.length > 0)
  }

  get stopsMs(): readonly number[] {
    return this.#stops.map(({ ms }) => ms)
  }

  /** The ids of all messages that were sent. */
  letterIds(): readonly string[] {
    return [...this.#letters.keys()]
  }

  get letterCount(): number {
    return this.#letters.size
  }
}
