import { isRecord } from '@throughline/protocol/chunk'
import type { Accepted, ChatHistory, Sighting, Stop } from '../history/history.ts'
import type { JsonClient, Reply } from '../http/json-client.ts'
import type { ChatReading } from '../http/read-chat.ts'
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

/** Returns a test of the bytes of a log: whether the run has ended there. */
export function hasEndOf({ responseMessageId }: AcceptedRun): (bytes: string) => boolean {
  const end = new RegExp(`"messageId":"${responseMessageId}","chunk":\\{"type":"(?:finish|abort|error)"`)
  return bytes => bytes.endsWith('\n\n') && end.test(bytes)
}

interface Kept {
  readonly letter: Letter
  readonly accepted: Accepted[]
}

/** One chat of a case. Keeps everything that was asked of it and that viewers saw of it, for the checks. */
export class TorturedChat {
  readonly id: string
  readonly #letters = new Map<string, Kept>()
  readonly #stops: Stop[] = []
  #sightings: Sighting[] = []
  #viewers: readonly Sighting[] = []

  constructor(id: string) {
    this.id = id
  }

  /** Sends a letter. The same letter may be sent many times. */
  async send(client: JsonClient, letter: Letter): Promise<Sent> {
    const kept = this.#letters.get(letter.messageId) ?? { letter, accepted: [] }
    this.#letters.set(letter.messageId, kept)
    const { messageId, order, agent, onBusy } = letter
    const message = { id: messageId, role: 'user', parts: [{ type: 'text', text: textOfOrder(order) }] }
    const reply = await client.post(`/api/chats/${this.id}/messages`, { message, agent, onBusy })
    if (reply.type === 'broken' || reply.status !== 202) return { reply, run: undefined }
    const body: unknown = JSON.parse(reply.body)
    if (!isRecord(body)) throw new TypeError(`A 202 without a body: ${reply.body}`)
    const accepted = { runId: String(body['runId']), responseMessageId: String(body['responseMessageId']) }
    kept.accepted.push(accepted)
    return { reply, run: { ...accepted, position: String(body['position']) } }
  }

  /** Stops the run of a letter. */
  async stop(client: JsonClient, messageId: string): Promise<Reply> {
    const began = performance.now()
    const reply = await client.post(`/api/chat/${this.id}/stop`, {})
    if (reply.type === 'response' && reply.status === 200) {
      const body: unknown = JSON.parse(reply.body)
      const result = isRecord(body) ? String(body['result']) : ''
      this.#stops.push({ messageId, result, ms: performance.now() - began })
    }
    return reply
  }

  see(sightings: readonly Sighting[]): void {
    this.#sightings.push(...sightings)
  }

  /** Keeps what viewers saw who stayed until nothing went on any more, over all their connections. */
  seeWhole(viewers: readonly Sighting[]): void {
    this.#viewers = viewers
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
      log,
      messages,
      submissions: [...this.#letters.values()].map(({ letter, accepted }) => ({
        messageId: letter.messageId,
        text: textOfOrder(letter.order),
        said: 'said' in letter ? letter.said : wordsOf(letter.order).join(''),
        accepted,
      })),
      sightings: this.#sightings,
      viewers: this.#viewers,
      stops: this.#stops,
      isRunning,
    }
  }

  /** Forgets what viewers saw, because it was compared. What the log had then must still be there later. */
  settle({ log, position }: Extract<ChatReading, { type: 'chat' }>): void {
    this.#viewers = []
    this.#sightings = log === '' ? [] : [{ after: position.replace(/\.\d+$/, '.0'), bytes: log }]
  }

  /** Whether the server has said that it has a message of this chat. */
  get isKnown(): boolean {
    return [...this.#letters.values()].some(({ accepted }) => accepted.length > 0)
  }

  get stopsMs(): readonly number[] {
    return this.#stops.map(({ ms }) => ms)
  }

  get letterCount(): number {
    return this.#letters.size
  }
}
