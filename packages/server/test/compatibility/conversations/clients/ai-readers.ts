import { randomUUID } from 'node:crypto'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { chatId } from '../../client.ts'
import { stockTransport } from '../../clients/ai-readers.ts'
import { readUiMessages } from '../../readers/ui-messages.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { savedMessages } from './saved-messages.ts'

/** The AI SDK without a framework: the application holds the messages, and sends them with the transport. */
export const aiReadersTalker: Talker = {
  open: async place => new AiReaders(place, []),
  async openAgain(place) {
    const talk = new AiReaders(place, await savedMessages<UIMessage>(place.url))
    talk.resume()
    return talk
  },
}

class AiReaders implements Talk {
  readonly screen = new Screen<TalkState>()
  readonly #transport
  #messages: readonly UIMessage[]
  #leaving = new AbortController()

  constructor({ url }: Place, messages: readonly UIMessage[]) {
    this.#transport = stockTransport({ url })
    this.#messages = messages
    this.#show(false)
  }

  send(text: string): void {
    this.#ask([...this.#messages, question(text)])
  }

  edit(number: number, text: string): void {
    const replaced = this.#messages.filter(({ role }) => role === 'user')[number]
    if (replaced === undefined) throw new Error(`There is no question ${number}.`)
    const kept = this.#messages.slice(0, this.#messages.indexOf(replaced))
    this.#ask([...kept, { ...question(text), id: replaced.id }], { messageId: replaced.id })
  }

  regenerate(): void {
    this.#ask(this.#messages.slice(0, -1), { trigger: 'regenerate-message' })
  }

  stop(): void {
    this.#leaving.abort()
  }

  resume(): void {
    void this.#read(() => this.#transport.reconnectToStream({ chatId }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort()
  }

  #ask(messages: readonly UIMessage[], options: AskOptions = {}): void {
    this.#messages = messages
    void this.#read(abortSignal =>
      this.#transport.sendMessages({
        trigger: 'submit-message',
        messageId: undefined,
        ...options,
        chatId,
        messages: [...messages],
        abortSignal,
      }),
    )
  }

  async #read(begin: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk> | null>): Promise<void> {
    this.#leaving = new AbortController()
    const before = this.#messages
    this.#show(true)
    try {
      const stream = await begin(this.#leaving.signal)
      if (stream === null) return
      // Without a handler the reader tells the console that the person has left.
      for await (const answer of readUIMessageStream({ stream, onError: () => undefined })) {
        this.#messages = [...before, answer]
        this.#show(true)
      }
    } finally {
      this.#show(false)
    }
  }

  #show(isBusy: boolean): void {
    this.screen.show({ transcript: readUiMessages({ messages: this.#messages, isBusy }), isBusy })
  }
}

interface AskOptions {
  readonly trigger?: 'regenerate-message'
  readonly messageId?: string
}

function question(text: string): UIMessage {
  return { id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] }
}
