import {
  type ChatState,
  chatFrom,
  emptyChat,
  findMessage,
  messagesOf,
} from '@throughline/protocol/chat-state'
import { fold } from '@throughline/protocol/fold'
import { type ChatId, createId, isMessageId } from '@throughline/protocol/ids'
import { keyedGet } from '@throughline/protocol/keyed-list'
import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import { backoffMs, pause } from './backoff.ts'
import { type ApiOptions, type ChatApi, createChatApi } from './chat-api.ts'
import { asChatError, type ChatError } from './chat-error.ts'
import { onNextFrame } from './frame.ts'
import { receive } from './receive.ts'

export interface ChatOptions extends ApiOptions {
  readonly chatId: ChatId
  /** The chat was made up just now: there is nothing to load until its first message is sent. */
  readonly isNew?: boolean
  /** Who is to answer; by default the server's first agent. */
  readonly agent?: string | undefined
  readonly senderName?: string | undefined
  readonly onFrame?: (callback: () => void) => void
}

export type ChatStatus = 'loading' | 'ready' | 'submitted' | 'streaming'

/** What a page shows. A new object when, and only when, something in it has changed. */
export interface ChatSnapshot {
  /** Each id once, in order; a message that has not changed is the same object as before. */
  readonly messages: readonly Message[]
  readonly status: ChatStatus
  readonly connection: 'connecting' | 'open' | 'lost'
  /** Why messages could not be loaded or followed. */
  readonly error: ChatError | undefined
  /** The person's messages that did not reach the server, and why. They stay in `messages`. */
  readonly unsent: ReadonlyMap<string, ChatError>
}

/** A chat as a page holds it. Everything that is shown comes from the log; only what is being sent is added. */
export class ChatStore {
  readonly #options: ChatOptions
  readonly #api: ChatApi
  readonly #listeners = new Set<() => void>()
  #chat: ChatState = emptyChat()
  #pending: readonly Message[] = []
  #unsent: ReadonlyMap<string, ChatError> = new Map()
  #isLoaded = false
  #connection: ChatSnapshot['connection'] = 'connecting'
  #error: ChatError | undefined
  #closing: AbortController | undefined
  #begun = Promise.withResolvers<Position>()
  #isFrameAsked = false
  #snapshot: ChatSnapshot

  constructor(options: ChatOptions) {
    this.#options = options
    this.#api = createChatApi(options.chatId, options)
    this.#snapshot = this.#takeSnapshot()
  }

  getSnapshot = (): ChatSnapshot => this.#snapshot

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the chat and follows it until `close`. */
  open = (): void => {
    if (this.#closing !== undefined) return
    const closing = new AbortController()
    this.#closing = closing
    this.#follow(closing.signal).catch(error => {
      if (!closing.signal.aborted) this.#change(() => (this.#error = asChatError(error)))
    })
  }

  /** Stops following; a run goes on without us. */
  close = (): void => {
    this.#closing?.abort()
    this.#closing = undefined
  }

  /** Shows the message at once and sends it. Resolves when the server has it, or has not. */
  send = async (text: string): Promise<void> => {
    const { senderName } = this.#options
    const message: Message = {
      id: createId(isMessageId, 'user'),
      role: 'user',
      parts: [{ type: 'text', text }],
      metadata: {
        communicationType: 'user-to-agent',
        createdAt: new Date().toISOString(),
        ...(senderName === undefined ? {} : { senderName }),
      },
    }
    this.#change(() => (this.#pending = [...this.#pending, message]))
    await this.#deliver(message)
  }

  /** Sends a message again that did not reach the server. */
  retry = async (messageId: string): Promise<void> => {
    const message = this.#pending.find(({ id }) => id === messageId)
    if (message !== undefined && this.#unsent.has(messageId)) await this.#deliver(message)
  }

  stop = async (): Promise<void> => {
    try {
      await this.#api.stop()
    } catch (error) {
      this.#change(() => (this.#error = asChatError(error)))
    }
  }

  async #deliver(message: Message): Promise<void> {
    this.#setUnsent(message.id, undefined)
    const signal = this.#closing?.signal ?? new AbortController().signal
    for (let attempt = 0; ; attempt += 1) {
      try {
        const { position } = await this.#api.send(message, { agent: this.#options.agent, signal })
        this.#begun.resolve(position)
        return
      } catch (error) {
        const failure = asChatError(error)
        // The server knows a message by its id, so sending it again cannot start a second run.
        if (signal.aborted || !failure.isTemporary || attempt === maxRetries) {
          this.#setUnsent(message.id, failure)
          return
        }
        await pause(backoffMs(attempt), signal)
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isNew = this.#options.isNew === true && !this.#isLoaded
      let position = isNew ? this.#startEmpty() : await this.#load(signal)
      // A chat begins with its first message; until then there is nothing to follow.
      position ??= await this.#begun.promise
      for await (const received of receive({
        ...this.#api,
        url: this.#api.logUrl,
        after: position,
        signal,
      })) {
        if (received.type === 'entries')
          this.#change(() => (this.#chat = received.entries.reduce(fold, this.#chat)))
        else if (received.type !== 'reset')
          this.#setConnection(received.type === 'connected' ? 'open' : 'lost')
      }
    }
  }

  #startEmpty(): undefined {
    this.#change(() => (this.#isLoaded = true))
  }

  async #load(signal: AbortSignal): Promise<Position | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const loaded = await this.#api.load(signal)
        this.#change(() => {
          this.#chat = loaded === undefined ? emptyChat() : chatFrom(loaded.messages, loaded.position.seq)
          this.#isLoaded = true
          this.#error = undefined
        })
        return loaded?.position
      } catch (error) {
        const failure = asChatError(error)
        if (signal.aborted || !failure.isTemporary) throw failure
        this.#change(() => (this.#error = failure))
        await pause(backoffMs(attempt), signal)
      }
    }
  }

  #setConnection(connection: ChatSnapshot['connection']): void {
    this.#change(() => (this.#connection = connection))
  }

  #setUnsent(messageId: string, error: ChatError | undefined): void {
    const unsent = new Map(this.#unsent)
    if (error === undefined) unsent.delete(messageId)
    else unsent.set(messageId, error)
    this.#change(() => (this.#unsent = unsent))
  }

  /** Every change goes through here: listeners hear of any number of them once, at the next frame. */
  #change(change: () => void): void {
    change()
    if (this.#isFrameAsked) return
    this.#isFrameAsked = true
    const { onFrame = onNextFrame } = this.#options
    onFrame(() => {
      this.#isFrameAsked = false
      this.#snapshot = this.#takeSnapshot()
      for (const listener of this.#listeners) listener()
    })
  }

  #takeSnapshot(): ChatSnapshot {
    this.#pending = this.#pending.filter(({ id }) => findMessage(this.#chat, id) === undefined)
    const known = messagesOf(this.#chat)
    return {
      messages: this.#pending.length === 0 ? known : [...known, ...this.#pending],
      status: this.#status(),
      connection: this.#connection,
      error: this.#error,
      unsent: this.#unsent,
    }
  }

  #status(): ChatStatus {
    if (!this.#isLoaded) return 'loading'
    if (this.#pending.some(({ id }) => !this.#unsent.has(id))) return 'submitted'
    return isAnswering(this.#chat) ? 'streaming' : 'ready'
  }
}

const maxRetries = 4

// Looks back to the last user message only: what stands before it has ended.
function isAnswering({ messages }: ChatState): boolean {
  for (let index = messages.items.size - 1; index >= 0; index -= 1) {
    const record = keyedGet(messages, index)
    if (record === undefined || record.role === 'user') return false
    if (record.metadata?.status === 'streaming') return true
  }
  return false
}
