import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Sighting } from '@throughline/protocol/history'
import type { SeenBytes, WitnessRequest } from './witness-messages.ts'

/** What a viewer follows. */
interface View {
  readonly chatId: string
  readonly after: string
}

/** Follows chats through the witness process, and reads from its files what it saw. */
export class Witness implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #views = new Map<number, View>()
  readonly #settled = new Map<number, () => void>()
  #lastId = 0

  constructor() {
    this.#child = fork(new URL('./witness-process.ts', import.meta.url), {
      execArgv: ['--conditions=throughline-source', '--no-warnings'],
    })
    this.#child.on('message', (message: { readonly id: number }) => {
      this.#settled.get(message.id)?.()
      this.#settled.delete(message.id)
    })
  }

  /** Lets the witness follow the log of a chat after a position. */
  follow(url: string, view: View, file: string): void {
    this.#lastId += 1
    this.#views.set(this.#lastId, view)
    const path = `/api/chats/${view.chatId}/log?after=${view.after}`
    this.#send({ type: 'follow', viewer: this.#lastId, url, path, file })
  }

  /** Waits until the viewers of a file have left. Returns what they saw, by chat, and forgets it. */
  async take(file: string): Promise<ReadonlyMap<string, readonly Sighting[]>> {
    await this.#settle(file)
    const bytes = new Map<number, string>()
    for (const seen of existsSync(file) ? linesIn(file) : [])
      bytes.set(seen.viewer, (bytes.get(seen.viewer) ?? '') + seen.bytes)
    const sightings = new Map<string, Sighting[]>()
    for (const [viewer, seen] of bytes) {
      const view = this.#views.get(viewer)
      if (view === undefined) throw new TypeError(`The witness wrote of viewer ${viewer}, whom nobody sent.`)
      this.#views.delete(viewer)
      sightings.set(view.chatId, [...(sightings.get(view.chatId) ?? []), { after: view.after, bytes: seen }])
    }
    return sightings
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }

  #settle(file: string): Promise<void> {
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#settled.set(id, resolve)
    this.#send({ type: 'settle', id, file })
    return promise
  }

  #send(request: WitnessRequest): void {
    this.#child.send(request)
  }
}

function linesIn(file: string): readonly SeenBytes[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
}
