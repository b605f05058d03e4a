import type { Page, Request } from 'playwright-core'
import type {
  Actions,
  ClientInUse,
  ClientState,
} from '../../packages/server/test/compatibility/conversations/client-in-use.ts'
import type { Read, Shown } from '../../packages/server/test/compatibility/conversations/shown.ts'
import type { Transcript } from '../../packages/server/test/compatibility/conversations/transcript.ts'
import type { PageClient, PageSettings } from './page-client.ts'

export interface ClientPageOptions extends PageSettings {
  /** Where the server is. It serves the page, too. */
  readonly url: string
  readonly read: Read
}

/** A foreign client on its page, as a test uses it. */
export class ClientPage implements ClientInUse {
  readonly #page: Page
  readonly #address: string
  readonly #read: Read
  readonly #problems: string[] = []
  readonly #unanswered = new Set<Request>()

  constructor(page: Page, { url, chatId, api, read }: ClientPageOptions) {
    this.#page = page
    this.#address = `${url}/?${new URLSearchParams({ chat: chatId, api })}`
    this.#read = read
    page.on('pageerror', error => this.#problems.push(error.message))
    page.on('request', request => this.#unanswered.add(request))
    page.on('response', response => this.#unanswered.delete(response.request()))
    page.on('requestfailed', request => this.#unanswered.delete(request))
  }

  /**
   * Loads the page, or loads it again. Resolves when it shows what there is, and has heard whether there is an answer to
   * resume. Clients mix up the two when a message is sent before that, which no person is fast enough for.
   */
  async load(): Promise<void> {
    await this.#page.goto(this.#address)
    const isThere = this.#page.waitForFunction(() => Reflect.has(window, 'throughlineTest'))
    await isThere.catch(error => {
      throw new Error(`The page does not start: ${this.#problems.join('; ')}`, { cause: error })
    })
    do await this.#shown()
    while (this.#unanswered.size > 0)
  }

  async do<Name extends keyof Actions>(
    action: Name,
    ...words: Parameters<NonNullable<Actions[Name]>>
  ): Promise<void> {
    await this.#page.evaluate(
      ([name, given]) => {
        const client: PageClient = Reflect.get(window, 'throughlineTest')
        const act = client[name]
        if (act === undefined) throw new Error(`This client cannot ${name}.`)
        Reflect.apply(act, client, given)
      },
      [action, words] as const,
    )
  }

  can(action: keyof Actions): Promise<boolean> {
    return this.#page.evaluate(name => Reflect.has(Reflect.get(window, 'throughlineTest'), name), action)
  }

  /** Resolves when the page shows these words somewhere. */
  async shows(words: string): Promise<void> {
    await this.until(({ messages }) => JSON.stringify(messages).includes(words), `the words "${words}"`)
  }

  /** Resolves when the page waits for nothing more. */
  async isIdle(): Promise<void> {
    await this.until((_, { isBusy }) => !isBusy, 'the end of the answer')
  }

  async transcript(): Promise<Transcript> {
    return this.#read(await this.#shown())
  }

  /** Resolves when the page is as asked for. Whoever waits in vain is told what it shows instead. */
  async until(isSo: (transcript: Transcript, state: ClientState) => boolean, what: string): Promise<void> {
    const end = performance.now() + 30_000
    for (;;) {
      const shown = await this.#shown()
      if (isSo(this.#read(shown), shown)) return
      if (performance.now() > end)
        throw new Error(
          `The page waited in vain for ${what}. It shows:\n${JSON.stringify(shown, undefined, 1)}`,
        )
    }
  }

  /** What the page shows in its next frame. */
  #shown(): Promise<Shown> {
    return this.#page.evaluate(
      () =>
        new Promise(resolve =>
          requestAnimationFrame(() => resolve(Reflect.get(window, 'throughlineTest').shown)),
        ),
    )
  }
}
