import { allVersions, branchOf, lastIn, previousOf } from '@throughline/protocol/branches'
import {
  type ChatState,
  chatFrom,
  emptyChat,
  findMessage,
  messagesOf,
} from '@throughline/protocol/chat-state'
import { fold } from '@throughline/protocol/fold'
import { createId, idRule, isChatId, isMessageId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { BackoffOptions } from './backoff.ts'
import { type Accepted, type ApiOptions, type ChatApi, createChatApi } from './chat-api.ts'
import { asChatError, ChatError } from './chat-error.ts'
import { type ChatSnapshot, type ChatStatus, isSameSnapshot, statusOf } from './chat-snapshot.ts'
import { Beginning, type Followed, followChat } from './follow-chat.ts'
import { onNextFrame } from './frame.ts'
import { Outgoing } from './outgoing.ts'
import { Waker, wakeWithPage } from './waker.ts'

export interface ChatOptions extends ApiOptions {
  readonly chatId: string
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

export interface SendMessageOptions {
  /** Who is to answer this message. */
  readonly agent?: string | undefined
}

/** A chat for a page, a worker or a program. Nothing is asked of the server before `open`. */
export function createChat(options: ChatOptions): Chat {
  return new Chat(options)
}

/** A chat as a page holds it. Everything that is shown comes from the log; only what is being sent is added. */
export class Chat {
  #options: ChatOptions
  readonly #api: ChatApi
  readonly #listeners = new Set<() => void>()
  readonly #waker = new Waker()
  readonly #beginning = new Beginning()
  readonly #outgoing: Outgoing
  #chat: ChatState = emptyChat()
  /** A message on the branch that the person looks at; without it the newest is shown. */
  #shown: string | undefined
  #isLoaded = false
  #connection: ChatSnapshot['connection'] = 'connecting'
  #error: ChatError | undefined
  #following: AbortController | undefined
  #isFrameAsked = false
  #snapshot: ChatSnapshot

  constructor(options: ChatOptions) {
    if (!isChatId(options.chatId)) throw new ChatError('invalid-id', `The chat id is not allowed. ${idRule}.`)
    this.#options = options
    const { chatId, url, fetch, stallMs } = options
    const headers = () => this.#options.headers?.() ?? {}
    this.#api = createChatApi(chatId, { url, fetch, headers, stallMs })
    this.#outgoing = new Outgoing(
      () => this.#change(() => undefined),
      () => this.#options.backoff,
    )
    this.#snapshot = this.#takeSnapshot()
  }

  getSnapshot = (): ChatSnapshot => this.#snapshot

  get messages(): readonly Message[] {
    return this.#snapshot.messages
  }

  get status(): ChatStatus {
    return this.#snapshot.status
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the chat and follows it until `close`. */
  open = (): void => {
    if (this.#following !== undefined) return
    const following = new AbortController()
    this.#following = following
    const unlisten = wakeWithPage(this.#waker)
    this.#follow(following.signal)
      .catch(error => {
        if (following.signal.aborted) return
        this.#following = undefined
        this.#change(() => {
          this.#error = asChatError(error)
          this.#connection = 'lost'
        })
      })
      .finally(unlisten)
  }

  /** Stops following; a run goes on without us. */
  close = (): void => {
    this.#following?.abort()
    this.#following = undefined
  }

  /** Goes on at once: does not wait for the next attempt, nor for a connection that may be dead. */
  resume = (): void => {
    if (this.#following === undefined) this.open()
    else this.#waker.wake()
  }

  /** Changes what later messages are sent with. The chat itself stays the same. */
  update = (options: Partial<Omit<ChatOptions, 'chatId' | 'url' | 'fetch' | 'isNew'>>): void => {
    this.#options = { ...this.#options, ...options }
  }

  /** Shows the message at once and sends it. Resolves when the server has it, or has not. */
  send = async (text: string, options: SendMessageOptions = {}): Promise<void> => {
    // Who looks at an older branch goes on with that one; otherwise the server knows better what comes last.
    const after = this.#shown === undefined ? undefined : lastIn(this.#shownMessages())
    await this.#send(text, { ...options, after })
  }

  /** Sends another text in place of a message: a new branch, on which the old one is not. */
  edit = async (messageId: string, text: string, options: SendMessageOptions = {}): Promise<void> => {
    const after = previousOf(this.#allMessages(), messageId)
    if (after === undefined) return this.#fail(`There is no message ${messageId} to edit.`)
    // What has never reached the server leaves no version behind.
    this.#outgoing.drop(messageId)
    await this.#send(text, { ...options, after })
  }

  /** Asks for another answer: to this message or in place of this answer, or of the last one that is shown. */
  regenerate = async (messageId?: string, options: SendMessageOptions = {}): Promise<void> => {
    const meant = messageId ?? lastIn(this.#shownMessages())
    const answerId = createId(isMessageId, 'msg')
    const { agent } = options
    this.#shown = undefined
    await this.#outgoing.send(answerId, undefined, async () => {
      const context = this.#options.context?.()
      this.#begin(await this.#api.answerAgain(meant, { agent, context, answerId }))
    })
    // There is no message of it to show the failure with.
    const failure = this.#outgoing.unsent.get(answerId)
    if (failure === undefined) return
    this.#outgoing.drop(answerId)
    this.#change(() => (this.#error = failure))
  }

  /** Shows the branch that a message is on. */
  showVersion = (messageId: string): void => {
    this.#change(() => (this.#shown = messageId))
  }

  /** Sends again what did not reach the server. */
  retry = (messageId: string): Promise<void> => this.#outgoing.retry(messageId)

  stop = (): Promise<void> => this.#ask(() => this.#api.stop())

  /** Answers a tool call that waits for approval. */
  approve = (approvalId: string, approved = true, reason?: string): Promise<void> =>
    this.#ask(() => this.#api.decide(approvalId, { approved, reason }))

  async #send(text: string, { agent, after }: SendMessageOptions & { readonly after: string | undefined }) {
    const { senderName } = this.#options
    const isBranch = after !== undefined && after !== lastIn(this.#allMessages())
    const message: Message = {
      id: createId(isMessageId, 'user'),
      role: 'user',
      parts: [{ type: 'text', text }],
      metadata: {
        communicationType: 'user-to-agent',
        createdAt: new Date().toISOString(),
        ...(senderName === undefined ? {} : { senderName }),
        ...(isBranch ? { previousMessageId: after } : {}),
      },
    }
    this.#shown = undefined
    await this.#outgoing.send(message.id, message, async () => {
      const { agent: chosen, context } = this.#options
      const options = { agent: agent ?? chosen, context: context?.(), after }
      this.#begin(await this.#api.send(message, options))
    })
  }

  #begin({ position }: Accepted): void {
    this.#beginning.begin(position)
  }

  async #ask(ask: () => Promise<void>): Promise<void> {
    try {
      await ask()
    } catch (error) {
      this.#change(() => (this.#error = asChatError(error)))
    }
  }

  #fail(text: string): void {
    this.#change(() => (this.#error = new ChatError('unknown-message', text)))
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { stallMs, backoff, isNew = false } = this.#options
    const followed = followChat({
      api: this.#api,
      signal,
      waker: this.#waker,
      beginning: this.#beginning,
      isNew: isNew && !this.#isLoaded,
      stallMs,
      backoff,
    })
    for await (const each of followed) this.#take(each)
  }

  #take(followed: Followed): void {
    switch (followed.type) {
      case 'loaded':
        return this.#change(() => {
          const { chat } = followed
          this.#chat = chat === undefined ? emptyChat() : chatFrom(chat.messages, chat.position.seq)
          this.#isLoaded = true
          this.#error = undefined
        })
      case 'load-failed':
        return this.#change(() => (this.#error = followed.error))
      case 'entries':
        this.#change(() => (this.#chat = followed.entries.reduce(fold, this.#chat)))
        for (const { chunk } of followed.entries) {
          if (chunk.type === 'data-ui-event' && 'data' in chunk) this.#options.onUiEvent?.(chunk.data)
        }
        return
      case 'connected':
        return this.#change(() => {
          this.#connection = 'open'
          this.#error = undefined
        })
      case 'disconnected':
        return this.#change(() => (this.#connection = 'lost'))
      default:
        followed satisfies never
    }
  }

  /** Every change goes through here: listeners hear of any number of them once, at the next frame. */
  #change(change: () => void): void {
    change()
    if (this.#isFrameAsked) return
    this.#isFrameAsked = true
    const { onFrame = onNextFrame } = this.#options
    onFrame(() => {
      // What is forgotten in the course of it is in this snapshot, and needs no frame of its own.
      const snapshot = this.#takeSnapshot()
      this.#isFrameAsked = false
      if (isSameSnapshot(snapshot, this.#snapshot)) return
      this.#snapshot = snapshot
      for (const listener of this.#listeners) listener()
    })
  }

  #takeSnapshot(): ChatSnapshot {
    this.#outgoing.settle(id => findMessage(this.#chat, id) !== undefined)
    return {
      messages: this.#shownMessages(),
      versions: allVersions(this.#allMessages()),
      status: this.#status(),
      connection: this.#connection,
      error: this.#error,
      unsent: this.#outgoing.unsent,
    }
  }

  #allMessages(): readonly Message[] {
    const known = messagesOf(this.#chat)
    const { messages: pending } = this.#outgoing
    return pending.length === 0 ? known : [...known, ...pending]
  }

  #shownMessages(): readonly Message[] {
    return branchOf(this.#allMessages(), this.#shown)
  }

  #status(): ChatStatus {
    if (!this.#isLoaded) return 'loading'
    return this.#outgoing.isSending ? 'submitted' : statusOf(this.#chat)
  }
}
