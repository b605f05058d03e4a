import {
  type ChatState,
  chatFrom,
  emptyChat,
  findMessage,
  messagesOf,
} from '@throughline/protocol/chat-state'
import { fold } from '@throughline/protocol/fold'
import { type ChatId, createId, isMessageId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { type ApiOptions, type ChatApi, createChatApi } from './chat-api.ts'
import { asChatError, type ChatError } from './chat-error.ts'
import { type ChatSnapshot, type ChatStatus, isSameSnapshot, statusOf } from './chat-snapshot.ts'
import { onNextFrame } from './frame.ts'
import { type Received, receive } from './receive.ts'

export interface ChatOptions extends ApiOptions {
  readonly chatId: ChatId
  /** The chat was made up just now: there is nothing to load until its first message is sent. */
  readonly isNew?: boolean
  /** Who is to answer; by default the server's first agent. */
  readonly agent?: string | undefined
  readonly senderName?: string | undefined
  /** Where the person is: the tabs of the page, told with every message. */
  readonly context?: (() => unknown) | undefined
  /** What an agent tells the page while it works, such as an address to offer. Not kept, not told again. */
  readonly onUiEvent?: ((data: unknown) => void) | undefined
  readonly onFrame?: (callback: () => void) => void
  readonly backoff?: BackoffOptions | undefined
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
      if (closing.signal.aborted) return
      this.#change(() => (this.#error = asChatError(error)))
      this.#setConnection('lost')
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

  /** Answers a tool call that waits for approval. */
  decide = async (approvalId: string, approved: boolean): Promise<void> => {
    try {
      await this.#api.decide(approvalId, { approved })
    } catch (error) {
      this.#change(() => (this.#error = asChatError(error)))
    }
  }

  async #deliver(message: Message): Promise<void> {
    this.#setUnsent(message.id, undefined)
    // Not tied to `close`: who sends and leaves at once has still sent.
    const { signal } = new AbortController()
    for (let attempt = 0; ; attempt += 1) {
      try {
        const { agent, context } = this.#options
        const { position } = await this.#api.send(message, { agent, context: context?.(), signal })
        this.#begun.resolve(position)
        return
      } catch (error) {
        const failure = asChatError(error)
        // The server knows a message by its id, so sending it again cannot start a second run.
        if (!failure.isTemporary || attempt === maxRetries) {
          this.#setUnsent(message.id, failure)
          return
        }
        await pause(backoffMs(attempt, this.#options.backoff), signal)
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { stallMs, backoff } = this.#options
    const { logUrl: url, request } = this.#api
    for (let resets = 0; !signal.aborted; resets += 1) {
      // The first reset is obeyed at once. A server that answers with nothing else is not hurried.
      if (resets > 1) await pause(backoffMs(resets - 2, backoff), signal)
      const after = await this.#start(signal)
      try {
        for await (const received of receive({ url, after, signal, request, stallMs, backoff })) {
          if (received.type === 'entries') resets = 0
          this.#take(received)
        }
      } catch (error) {
        // The chat was removed while nobody could tell us. It is loaded as what it is now: empty.
        if (asChatError(error).status !== 404) throw error
      }
    }
  }

  /** Loads the chat, and answers from where to follow it. A chat that is not there yet begins with its first message. */
  async #start(signal: AbortSignal): Promise<Position> {
    const isNew = this.#options.isNew === true && !this.#isLoaded
    // What was sent before has begun a chat that loading finds, or one that is gone by now.
    if (!isNew) this.#begun = Promise.withResolvers()
    const position = isNew ? this.#startEmpty() : await this.#load(signal)
    if (position !== undefined) return position
    const begun = await this.#begun.promise
    // Somebody else has begun it: the log will not bring what was said before.
    return begun.seq === 0 ? begun : this.#start(signal)
  }

  #take(received: Received): void {
    switch (received.type) {
      case 'entries':
        this.#change(() => (this.#chat = received.entries.reduce(fold, this.#chat)))
        for (const { chunk } of received.entries) {
          if (chunk.type === 'data-ui-event' && 'data' in chunk) this.#options.onUiEvent?.(chunk.data)
        }
        return
      case 'connected':
        return this.#change(() => {
          this.#connection = 'open'
          this.#error = undefined
        })
      case 'disconnected':
        return this.#setConnection('lost')
      case 'reset':
        return
      default:
        received satisfies never
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
        await pause(backoffMs(attempt, this.#options.backoff), signal)
      }
    }
  }

  #setConnection(connection: ChatSnapshot['connection']): void {
    this.#change(() => (this.#connection = connection))
  }

  #setUnsent(messageId: string, error: ChatError | undefined): void {
    if (error === undefined && !this.#unsent.has(messageId)) return
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
      const snapshot = this.#takeSnapshot()
      if (isSameSnapshot(snapshot, this.#snapshot)) return
      this.#snapshot = snapshot
      for (const listener of this.#listeners) listener()
    })
  }

  #takeSnapshot(): ChatSnapshot {
    // What the log has brought did reach the server, whatever became of the request.
    const isUnknown = (id: string) => findMessage(this.#chat, id) === undefined
    this.#pending = this.#pending.filter(({ id }) => isUnknown(id))
    const unsent = [...this.#unsent].filter(([id]) => isUnknown(id))
    if (unsent.length < this.#unsent.size) this.#unsent = new Map(unsent)
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
    return statusOf(this.#chat)
  }
}

const maxRetries = 4
