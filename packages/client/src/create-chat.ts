import { allVersions, branchOf, lastIn, previousOf } from '@throughline/protocol/branches'
import { type ChatState, chatFrom, findMessage, messagesOf } from '@throughline/protocol/chat-state'
import { type ChatId, idPattern, isChatId, randomHex } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import { onNextAnimationFrame } from './animation-frame.ts'
import type { BackoffOptions } from './backoff.ts'
import { type Accepted, type ApiOptions, type ChatApi, createChatApi } from './chat-api.ts'
import { type ChatCallbacks, tellOfEntry } from './chat-callbacks.ts'
import { asChatError, ChatError } from './chat-error.ts'
import { type ChatSnapshot, type ChatStatus, isSameSnapshot, statusOf } from './chat-snapshot.ts'
import { type Beginning, followChat } from './follow-chat.ts'
import { Listeners } from './listeners.ts'
import { Outgoing } from './outgoing.ts'
import { Waker, wakeWithPage } from './waker.ts'

export interface ChatOptions extends ApiOptions, ChatCallbacks {
  readonly chatId: string
  /** The chat was made up just now: there is nothing to load until its first message is sent. */
  readonly isNew?: boolean
  /** Who is to answer; by default the server's first agent. */
  readonly agent?: string | undefined
  readonly senderName?: string | undefined
  /** Where the person is: the tabs of the page, told with every message. */
  readonly context?: (() => unknown) | undefined
  readonly onFrame?: (callback: () => void) => void
  readonly backoff?: BackoffOptions | undefined
}

export interface SendMessageOptions {
  /** Who is to answer this message. */
  readonly agent?: string | undefined
}

export interface MetadataUpdate {
  readonly id: string
  /** Merged into what is there: existing fields stay unless they are named here. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A chat for a page, a worker or a program. Nothing is asked of the server before `open`. */
export function createChat(options: ChatOptions): Chat {
  return new Chat(options)
}

interface State {
  readonly chat: ChatState
  readonly isLoaded?: boolean
  /** A message on the branch that the person looks at; without it the newest is shown. */
  readonly shown?: string | undefined
  /** An answer that was asked for: until it begins, the branch on which it was asked for is shown. */
  readonly awaited?: string | undefined
  readonly connection: ChatSnapshot['connection']
  readonly error?: ChatError | undefined
}

/** A chat as a page holds it. Everything that is shown comes from the log; only what is being sent is added. */
export class Chat {
  readonly chatId: ChatId
  #options: ChatOptions
  readonly #api: ChatApi
  readonly #listeners = new Listeners()
  readonly #waker = new Waker()
  readonly #beginning: Beginning = { begun: Promise.withResolvers() }
  readonly #outgoing: Outgoing
  #state: State = { chat: chatFrom([], 0), connection: 'connecting' }
  #following: AbortController | undefined
  #isFrameAsked = false
  #snapshot: ChatSnapshot

  constructor(options: ChatOptions) {
    const { chatId } = options
    if (!isChatId(chatId)) throw new ChatError('invalid-id', `The chat id must match ${idPattern}.`)
    this.chatId = chatId
    this.#options = options
    this.#api = createChatApi(chatId, { ...options, headers: () => this.#options.headers?.() })
    this.#outgoing = new Outgoing(
      () => this.#set({}),
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

  /** Calls the listener whenever there is a new snapshot. Returns a function that ends this. */
  subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  /** Loads the chat and follows it until `close`. Nothing happens when it is open already. */
  open = (): void => {
    if (this.#following) return
    this.#following = new AbortController()
    void this.#follow(this.#following.signal)
  }

  /** Stops following; a run goes on without us. */
  close = (): void => {
    this.#following?.abort()
    this.#following = undefined
  }

  /** Goes on at once: does not wait for the next attempt, nor for a connection that may be dead. */
  resume = (): void => {
    if (this.#following) this.#waker.wake()
    else this.open()
  }

  /** Changes what later messages are sent with. The chat itself stays the same. */
  update = (options: Partial<Omit<ChatOptions, 'chatId' | 'url' | 'fetch' | 'isNew'>>): void => {
    this.#options = { ...this.#options, ...options }
  }

  /** Shows the message at once and sends it. Resolves when the server has it, or has not. */
  send = async (text: string, options?: SendMessageOptions): Promise<void> => {
    // Who looks at an older branch goes on with that one; otherwise the server knows better what comes last.
    const after = this.#state.shown === undefined ? undefined : lastIn(this.#shownMessages())
    await this.#send(text, options?.agent, after)
  }

  /** Sends another text in place of a message: a new branch, on which the old one is not. */
  edit = async (messageId: string, text: string, options?: SendMessageOptions): Promise<void> => {
    const after = previousOf(this.#allMessages(), messageId)
    if (after === undefined)
      return this.#set({
        error: new ChatError('unknown-message', `There is no message ${messageId}.`),
      })
    // What has never reached the server leaves no version behind.
    this.#outgoing.drop(messageId)
    await this.#send(text, options?.agent, after)
  }

  /** Asks for another answer: to this message or in place of this answer, or of the last one that is shown. */
  regenerate = async (messageId?: string, options?: SendMessageOptions): Promise<void> => {
    const meant = messageId ?? lastIn(this.#shownMessages())
    const answerId = `msg_${randomHex(16)}`
    this.#set({ awaited: answerId })
    await this.#deliver(answerId, undefined, context =>
      this.#api.answerAgain(meant, { agent: options?.agent, context, answerId }),
    )
    const error = this.#outgoing.unsent.get(answerId)
    if (!error) return
    // There is no message of it to show the failure with.
    this.#outgoing.drop(answerId)
    this.#set({ error })
  }

  /** Shows the branch that a message is on. */
  showVersion = (messageId: string): void => this.#set({ shown: messageId, awaited: undefined })

  /** Sends again what did not reach the server. */
  retry = (messageId: string): Promise<void> => this.#outgoing.retry(messageId)

  stop = (): Promise<void> => this.#ask(this.#api.stop())

  /** Answers a tool call that waits for approval. */
  approve = (approvalId: string, approved = true, reason?: string): Promise<void> =>
    this.#ask(this.#api.decide(approvalId, { approved, reason }))

  /** Deletes a message with what belongs to it: its sub-agents' messages, and for the person's own also its answers. */
  deleteMessage = (messageId: string): Promise<void> => this.#ask(this.#api.change('DELETE', `/${messageId}`))

  /** Puts one of the person's messages, with its answers, behind another message; behind none when that is empty. */
  moveMessage = (messageId: string, after: string): Promise<void> =>
    this.#ask(this.#api.change('POST', `/${messageId}/move`, { after }))

  /** Adds to what messages say about themselves: fields of the application's own. All of them change, or none. */
  updateMetadata = (messages: readonly MetadataUpdate[]): Promise<void> =>
    this.#ask(this.#api.change('PATCH', '', { messages }))

  async #send(text: string, agent: string | undefined, after: string | undefined): Promise<void> {
    const isBranch = after !== undefined && after !== lastIn(this.#allMessages())
    const message: Message = {
      id: `user_${randomHex(16)}`,
      role: 'user',
      parts: [{ type: 'text', text }],
      metadata: {
        communicationType: 'user-to-agent',
        createdAt: new Date().toISOString(),
        senderName: this.#options.senderName,
        previousMessageId: isBranch ? after : undefined,
      },
    }
    this.#set({ shown: undefined, awaited: undefined })
    await this.#deliver(message.id, message, context =>
      this.#api.send(message, { agent: agent ?? this.#options.agent, context, after }),
    )
  }

  #deliver(
    id: string,
    message: Message | undefined,
    ask: (context: unknown) => Promise<Accepted>,
  ): Promise<void> {
    this.#beginning.isAsked = true
    const deliver = async () => {
      const { position } = await ask(this.#options.context?.())
      this.#beginning.begun.resolve(position)
    }
    return this.#outgoing.send(id, { message, deliver })
  }

  async #ask(answer: Promise<unknown>): Promise<void> {
    try {
      await answer
    } catch (error) {
      this.#set({ error: asChatError(error) })
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    wakeWithPage(this.#waker, signal)
    const followed = followChat({
      ...this.#options,
      ...this.#api,
      url: this.#api.logUrl,
      signal,
      waker: this.#waker,
      beginning: this.#beginning,
      isNew: this.#options.isNew && !this.#state.isLoaded,
    })
    try {
      for await (const { entries = [], ...changes } of followed) {
        this.#set(changes)
        for (const entry of entries) tellOfEntry(this.#options, entry, this.#state.chat)
      }
    } catch (error) {
      if (signal.aborted) return
      this.close()
      this.#set({ error: asChatError(error), connection: 'lost' })
    }
  }

  /** Every change goes through here: listeners hear of any number of them once, at the next frame. */
  #set(changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes }
    if (this.#isFrameAsked) return
    this.#isFrameAsked = true
    const askForFrame = this.#options.onFrame ?? onNextAnimationFrame
    askForFrame(() => {
      // What is forgotten in the course of it is in this snapshot, and needs no frame of its own.
      const snapshot = this.#takeSnapshot()
      this.#isFrameAsked = false
      if (isSameSnapshot(snapshot, this.#snapshot)) return
      this.#snapshot = snapshot
      this.#listeners.tell()
    })
  }

  #takeSnapshot(): ChatSnapshot {
    const { chat, isLoaded, connection, error, awaited } = this.#state
    if (awaited && findMessage(chat, awaited))
      this.#state = { ...this.#state, shown: undefined, awaited: undefined }
    const outgoing = this.#outgoing
    outgoing.settle(id => findMessage(chat, id) !== undefined)
    return {
      messages: this.#shownMessages(),
      versions: allVersions(this.#allMessages()),
      status: !isLoaded ? 'loading' : outgoing.isSending ? 'submitted' : statusOf(chat),
      connection,
      error,
      unsent: outgoing.unsent,
    }
  }

  #allMessages(): readonly Message[] {
    const known = messagesOf(this.#state.chat)
    const { messages: pending } = this.#outgoing
    return pending.length === 0 ? known : [...known, ...pending]
  }

  #shownMessages(): readonly Message[] {
    return branchOf(this.#allMessages(), this.#state.shown)
  }
}
