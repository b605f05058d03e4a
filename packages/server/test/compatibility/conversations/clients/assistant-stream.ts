import { userMessage } from '@throughline/testing/http/chat-requests'
import { chatId } from '../../client.ts'
import { chunksReader, linesReader, readAnswer, type StreamReader } from '../../clients/assistant-stream.ts'
import { Screen } from '../../screen.ts'
import { finished, type Seen } from '../../seen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'

export const assistantChunksTalker = readerTalker(chunksReader)
export const assistantLinesTalker = readerTalker(linesReader)

function readerTalker(reader: StreamReader): Talker {
  return {
    open: async place => new ReaderTalk(reader, place),
    async openAgain(place) {
      const talk = new ReaderTalk(reader, place)
      talk.resume()
      return talk
    },
  }
}

/** A reader of one answer: that to the question, or the one that is being written. */
class ReaderTalk implements Talk {
  readonly screen = new Screen<TalkState>()
  readonly #reader: StreamReader
  readonly #place: Place
  readonly #leaving = new AbortController()

  constructor(reader: StreamReader, place: Place) {
    this.#reader = reader
    this.#place = place
  }

  send(text: string): void {
    const message = userMessage({ messageId: crypto.randomUUID(), text })
    void this.#read('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: chatId, message }),
    })
  }

  resume(): void {
    void this.#read(`/api/chat/${chatId}/stream`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort()
  }

  async #read(path: string, init: RequestInit = {}): Promise<void> {
    const { signal } = this.#leaving
    const response = await fetch(`${this.#place.url}${path}${this.#reader.form}`, { ...init, signal })
    let last: Seen = { answer: [], subAgents: {}, end: finished }
    await readAnswer(response, this.#reader, seen => {
      last = seen
      this.#show(seen, true)
    })
    this.#show(last, false)
  }

  #show({ end, ...answer }: Seen, isBusy: boolean): void {
    this.screen.show({ transcript: { messages: [answer], end }, isBusy })
  }
}
