import { queryAgent, stopSession } from '@throughline/client/events'
import { chatId } from '../../client.ts'
import { Screen } from '../../screen.ts'
import { type End, failed, finished, stopped } from '../../seen.ts'
import { seenInQuery, type Told } from '../../seen-in-query.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'

/** Our client of the event API, without a framework. It tells one answer. */
export const plainQueryTalker: Talker = {
  open: async place => new QueryTalk(place),
  async openAgain(place) {
    const talk = new QueryTalk(place)
    talk.resume()
    return talk
  },
}

class QueryTalk implements Talk {
  readonly screen = new Screen<TalkState>()
  readonly #place: Place
  readonly #leaving = new AbortController()

  constructor(place: Place) {
    this.#place = place
  }

  send(text: string): void {
    const { kept } = this.#place
    kept.set('text', text).set('message id', crypto.randomUUID())
    void this.#query()
  }

  stop(): void {
    void stopSession(chatId, { url: this.#place.url })
  }

  /** Asks for the same answer: whoever wants that keeps the id of the question. */
  resume(): void {
    void this.#query()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort()
  }

  async #query(): Promise<void> {
    const { url, kept } = this.#place
    const told: Told[] = []
    let end: End = { status: 'broken off' }
    const show = (isBusy: boolean) => {
      const { answer, subAgents } = seenInQuery(told)
      this.screen.show({ transcript: { messages: [{ answer, subAgents }], end }, isBusy })
    }
    const tell = (each: Told) => {
      told.push(each)
      show(true)
    }
    const { signal } = this.#leaving
    const asked = queryAgent(
      kept.get('text') ?? '',
      chatId,
      {
        onTextDelta: text => tell({ type: 'text', text }),
        onToolCall: tell,
        onToolResult: tell,
        onFinal: ({ status }) => (end = status === 'stopped' ? stopped : finished),
        onError: ({ error }) => (end = failed(error)),
      },
      { url, signal, messageId: kept.get('message id') },
    )
    // It rejects when the page is left, and then nobody looks any more.
    await asked.catch(error => {
      if (!signal.aborted) throw error
    })
    show(false)
  }
}
