import type { Actions, ClientInUse } from './client-in-use.ts'
import type { Place, Talk, Talker, TalkState } from './talk.ts'
import type { Transcript } from './transcript.ts'

/** A client that runs in the test's own process, as a test uses it. */
export class ClientInProcess implements ClientInUse, AsyncDisposable {
  readonly #talker: Talker
  readonly #place: Place
  #talk: Talk | undefined

  constructor(talker: Talker, url: string) {
    this.#talker = talker
    this.#place = { url, kept: new Map() }
  }

  async load(): Promise<void> {
    const { openAgain } = this.#talker
    if (this.#talk === undefined) {
      this.#talk = await this.#talker.open(this.#place)
      return
    }
    if (openAgain === undefined) throw new Error('This client cannot be loaded again.')
    await this.#talk[Symbol.asyncDispose]()
    this.#talk = await openAgain(this.#place)
  }

  async do<Name extends keyof Actions>(
    action: Name,
    ...words: Parameters<NonNullable<Actions[Name]>>
  ): Promise<void> {
    const talk = this.#opened()
    const act = talk[action]
    if (act === undefined) throw new Error(`This client cannot ${action}.`)
    Reflect.apply(act, talk, words)
  }

  async can(action: keyof Actions): Promise<boolean> {
    return this.#opened()[action] !== undefined
  }

  shows(words: string): Promise<void> {
    return this.until(({ messages }) => JSON.stringify(messages).includes(words))
  }

  isIdle(): Promise<void> {
    return this.until((_, { isBusy }) => !isBusy)
  }

  async until(isSo: (transcript: Transcript, state: TalkState) => boolean): Promise<void> {
    await this.#opened().screen.until(state => isSo(state.transcript, state))
  }

  async transcript(): Promise<Transcript> {
    const { transcript } = await this.#opened().screen.until(() => true)
    return transcript
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#talk?.[Symbol.asyncDispose]()
  }

  #opened(): Talk {
    if (this.#talk === undefined) throw new Error('The client was not loaded.')
    return this.#talk
  }
}
