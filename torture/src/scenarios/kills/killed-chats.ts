import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { HttpClient } from '@throughline/testing/http/http-client'
import type { TorturedServer } from '../../server/server-pool.ts'
import type { Witness } from '../../witness/witness.ts'
import { randomLetter } from '../random-letter.ts'
import { emptyTally, type Tally } from '../tally.ts'
import { TorturedChat } from '../tortured-chat.ts'

interface Options {
  readonly seed: number
  readonly random: SeededRandom
  readonly witness: Witness
  /** Where the witness writes. */
  readonly folder: string
}

const chatCount = 5

/** The chats of one case of the scenario `kills`: what people do in them while their server lives. */
export class KilledChats {
  readonly #options: Options
  readonly #chats: TorturedChat[] = []
  readonly #removed = new Set<string>()
  #file = ''
  #lastNumber = 0
  #runs = 0
  #stopsMs: number[] = []

  constructor(options: Options) {
    this.#options = options
  }

  all(): readonly TorturedChat[] {
    return this.#chats
  }

  /** Most chats begin anew after they were checked, so that they stay short. One goes on for the whole case. */
  markChecked(): void {
    const { random } = this.#options
    const kept = this.#chats.filter((_, index) => index === 0 || random.next() < 0.3)
    for (const chat of this.#chats) if (!kept.includes(chat)) this.#count(chat)
    this.#chats.splice(0, Infinity, ...kept)
  }

  /** Sends messages to all chats at once, until the server is gone. `begun` resolves when one is accepted. */
  work(
    server: TorturedServer,
    life: number,
  ): { readonly begun: Promise<void>; readonly ended: Promise<unknown> } {
    const { seed, random, folder } = this.#options
    this.#file = `${folder}/${seed}-${life}.seen`
    while (this.#chats.length < chatCount) {
      this.#lastNumber += 1
      this.#chats.push(new TorturedChat(`kill-${seed}-${this.#lastNumber}`))
    }
    const client = new HttpClient(server.url)
    const begun = Promise.withResolvers<void>()
    // Each chat has its own random numbers: they are used in the order in which responses come.
    const tasks = this.#chats.map(chat => {
      const talk = { server, client, random: seededRandom(random.below(2 ** 32)), onAccepted: begun.resolve }
      return this.#converse(chat, talk)
    })
    const ended = Promise.all([...tasks, this.#removeOne(client, life)]).finally(() =>
      client[Symbol.dispose](),
    )
    return { begun: begun.promise, ended }
  }

  /** Takes what the witness saw in the life that has just ended. */
  async gather(): Promise<void> {
    const sightings = await this.#options.witness.take(this.#file)
    for (const chat of this.#chats) chat.see(sightings.get(chat.id) ?? [])
  }

  tally(): Tally {
    for (const chat of this.#chats) this.#count(chat)
    return { ...emptyTally, runs: this.#runs, stopsMs: this.#stopsMs }
  }

  #count(chat: TorturedChat): void {
    this.#runs += chat.letterCount
    this.#stopsMs.push(...chat.stopsMs)
  }

  async #converse(chat: TorturedChat, talk: Talk): Promise<void> {
    const { server, client, random, onAccepted } = talk
    let isFollowed = false
    // What was sent in the life before, and not accepted, is sent again, as a client does.
    for (const letter of chat.unanswered()) await chat.send(client, letter)
    while (!server.hasEnded()) {
      const letter = randomLetter(random, `${chat.id}-${chat.letterCount + 1}`)
      const { reply, run } = await chat.send(client, letter)
      if (reply.type === 'broken') return
      if (run === undefined) throw new Error(`Not accepted: ${reply.status} ${reply.body}`)
      onAccepted()
      if (!isFollowed) {
        isFollowed = true
        this.#options.witness.follow(server.url, { chatId: chat.id, after: run.position }, this.#file)
      }
      await this.#disturb(chat, letter, talk)
    }
  }

  /** Sometimes sends the letter again, or stops its run. */
  async #disturb(chat: TorturedChat, letter: Parameters<TorturedChat['send']>[1], talk: Talk): Promise<void> {
    const { client, random } = talk
    if (random.next() < 0.15) await chat.send(client, letter)
    if (random.next() > 0.15) return
    await pause(random.below(30))
    await chat.stop(client, letter.messageId)
  }

  /** Begins a chat and removes it. A removal that was cut off is asked for again in the next life. */
  async #removeOne(client: HttpClient, life: number): Promise<void> {
    const { seed } = this.#options
    for (const id of this.#removed) await this.#remove(client, id)
    const id = `removed-${seed}-${life}`
    const chat = new TorturedChat(id)
    const random = seededRandom(seed + life)
    const { run } = await chat.send(client, randomLetter(random, `${id}-1`))
    if (run === undefined) return
    this.#removed.add(id)
    await pause(random.below(20))
    await this.#remove(client, id)
  }

  async #remove(client: HttpClient, id: string): Promise<void> {
    const reply = await client.delete(`/api/chats/${id}`)
    if (reply.type === 'broken') return
    if (reply.status !== 204 && reply.status !== 404)
      throw new Error(`Chat ${id} cannot be removed: ${reply.body}`)
    const gone = await client.get(`/api/chats/${id}/messages`)
    if (gone.type === 'broken') return
    if (gone.status !== 404)
      throw new Error(`Chat ${id} was removed and is there: ${gone.body.slice(0, 300)}`)
    this.#removed.delete(id)
  }
}

interface Talk {
  readonly server: TorturedServer
  readonly client: HttpClient
  readonly random: SeededRandom
  /** Called for each message that the server has accepted. */
  readonly onAccepted: () => void
}
