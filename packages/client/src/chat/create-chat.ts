import {
  allVersions,
  branchOf,
  type ChatId,
  type ChatState,
  chatFrom,
  findMessage,
  idPattern,
  isChatId,
  isFilePart,
  lastIn,
  type Message,
  messagesOf,
  type Position,
  previousOf,
  randomHex,
} from '@throughline/protocol'
import { createDeferred } from '@throughline/protocol/internal'
import { asChatError, ChatError } from '../http/chat-error.ts'
import { callBack, Listeners, onNextAnimationFrame } from '../page/callbacks.ts'
import { type ChatApi, createChatApi, type ToolOutput } from './chat-api.ts'
import type { ChatOptions, MetadataUpdate, SendMessageOptions } from './chat-options.ts'
import { tellOfEntry } from './chat-options.ts'
import { activeRunOf, type ChatSnapshot, type ChatStatus, isSameSnapshot, statusOf } from './chat-snapshot.ts'
import { type Beginning, followChat } from './follow-chat.ts'
import { type KeptMessage, keptIn, type Outbox, postKept } from './outbox.ts'
import { newMessage, Outgoing } from './outgoing.ts'
import { Waker, wakeWithPage } from './waker.ts'

export type { ChatOptions, MetadataUpdate, SendMessageOptions }

/**
 * Returns a chat for a page, a worker or a program. It sends nothing to the server before `open`. Throws a `ChatError`
 * when the chat's id is not allowed.
 */
export function createChat(options: ChatOptions): Chat {
  return new Chat(options)
}

interface State {
  readonly chat: ChatState
  readonly isLoaded?: boolean
  /** A message on the branch that the person has chosen. `undefined`: the newest branch is shown. */
  readonly shown?: string | undefined
  /** The id of another answer that was asked for. When it begins, the newest branch is shown: its own. */
  readonly awaited?: string | undefined
  readonly connection: ChatSnapshot['connection']
  readonly error?: ChatError | undefined
}

interface Delivery {
  readonly message: Message | undefined
  readonly isBehind: boolean
  readonly isPatient?: boolean
  /** Returns where the run begins in the log; `undefined` for a message that waits in the queue of the server. */
  readonly post: (context: unknown) => Promise<Position | undefined>
}

/**
 * One chat of a page. Everything it shows comes from the log, except for messages that are just being sent. The methods
 * do not reject: what goes wrong is in the snapshot, as `error` or in `unsent`.
 */
export class Chat {
  /** The id of the chat. */
  readonly chatId: ChatId
  #options: ChatOptions
  readonly #api: ChatApi
  readonly #listeners = new Listeners()
  readonly #waker = new Waker()
  readonly #beginning: Beginning = { begun: createDeferred() }
  readonly #outgoing: Outgoing
  #state: State = { chat: chatFrom([], 0), connection: 'connecting' }
  #following: AbortController | undefined
  #isFrameRequested = false
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

  /** Returns what to show now. The same object until something has changed. */
  getSnapshot = (): ChatSnapshot => this.#snapshot

  /** The messages of the branch that is shown, in order: `messages` of the snapshot. */
  get messages(): readonly Message[] {
    return this.#snapshot.messages
  }

  /** `status` of the snapshot. */
  get status(): ChatStatus {
    return this.#snapshot.status
  }

  /** Calls the listener whenever there is a new snapshot. Returns a function that ends this. */
  subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  /**
   * Loads the chat and follows it until `close`. Sends what the outbox has kept. Nothing happens when it is open already.
   */
  open = (): void => {
    if (this.#following) return
    this.#following = new AbortController()
    const { outbox } = this.#options
    for (const kept of outbox?.load() ?? [])
      if (!this.#outgoing.has(kept.message.id)) void this.#sendMessage(kept, outbox)
    void this.#follow(this.#following.signal)
  }

  /** Stops following. An answer that is being written goes on at the server. */
  close = (): void => {
    this.#following?.abort()
    this.#following = undefined
  }

  /** Reconnects at once, without waiting for the next retry. Opens the chat when it is closed. */
  resume = (): void => {
    this.#outgoing.wake()
    if (this.#following) this.#waker.wake()
    else this.open()
  }

  /** Changes options for later requests and callbacks. Options that are left out stay as they are. */
  update = (options: Partial<Omit<ChatOptions, 'chatId' | 'url' | 'fetch' | 'isNew'>>): void => {
    this.#options = { ...this.#options, ...options }
  }

  /** Shows a message at once and sends it. Resolves when the server has taken it, or when it could not be sent. */
  send = async (text: string, options?: SendMessageOptions): Promise<void> => {
    // On an older branch, the message follows the last one that is shown. On the newest, the server decides: it may
    // know of messages that are not here yet.
    const after = this.#state.shown === undefined ? undefined : lastIn(this.#shownMessages())
    await this.#send(text, options, after)
  }

  /** Sends a new version of a message: a new branch begins, without the old version and what followed it. */
  edit = async (messageId: string, text: string, options?: SendMessageOptions): Promise<void> => {
    const messages = this.#allMessages()
    const after = previousOf(messages, messageId)
    if (after === undefined)
      return this.#set({
        error: new ChatError('unknown-message', `There is no message ${messageId}.`),
      })
    // A message that never reached the server is no version of its own.
    this.discard(messageId)
    const files = options?.files ?? messages.find(({ id }) => id === messageId)?.parts.filter(isFilePart)
    await this.#send(text, { ...options, files }, after)
  }

  /** Asks for another answer. `messageId` names the person's message or its answer. Default: the last message shown. */
  regenerate = async (messageId?: string, options?: SendMessageOptions): Promise<void> => {
    const meant = messageId ?? lastIn(this.#shownMessages())
    const { agent, model = this.#options.model } = options ?? {}
    const answerId = `msg_${randomHex(16)}`
    this.#set({ awaited: answerId })
    await this.#deliver(answerId, {
      message: undefined,
      isBehind: false,
      post: async context =>
        (await this.#api.answerAgain(meant, { agent, model, context, answerId })).position,
    })
    const error = this.#outgoing.unsent.get(answerId)
    if (!error) return
    // No message stands for this request, so its error cannot be shown in `unsent`.
    this.#outgoing.drop(answerId)
    this.#set({ error })
  }

  /** Shows the branch that a message is on. */
  showVersion = (messageId: string): void => this.#set({ shown: messageId, awaited: undefined })

  /** Sends a message again that could not be sent: one of `unsent`. */
  retry = (messageId: string): Promise<void> => this.#outgoing.retry(messageId)

  /** Forgets a message that the server does not have yet: one of `unsent`. */
  discard = (messageId: string): void => {
    this.#options.outbox?.drop(messageId)
    this.#outgoing.drop(messageId)
  }

  /** Stops the answer that is being written. If it has ended, and the next one has begun unseen, that one goes on. */
  stop = (): Promise<void> => this.#settle(this.#api.stop(activeRunOf(this.#state.chat)))

  /** Decides on a tool call that waits for approval. The agent is told the reason. */
  approve = (approvalId: string, approved = true, reason?: string): Promise<void> =>
    this.#settle(this.#api.decide(approvalId, { approved, reason }))

  /**
   * Gives a call the output that it waits for, or says why there is none. `awaitedOutputs(message)` returns the calls of a
   * message that wait, with the ids of their requests. Only the first output counts.
   */
  addToolOutput = (requestId: string, output: ToolOutput): Promise<void> =>
    this.#settle(this.#api.giveOutput(requestId, output))

  /** Deletes a message. The messages of its sub-agents go too, and for a person's message its answers. */
  deleteMessage = (messageId: string): Promise<void> =>
    this.#settle(this.#api.change('DELETE', `/${messageId}`))

  /**
   * Moves one of the person's messages, with its answers, behind another message; to the start when `after` is empty.
   */
  moveMessage = (messageId: string, after: string): Promise<void> =>
    this.#settle(this.#api.change('POST', `/${messageId}/move`, { after }))

  /** Adds fields of the application to the metadata of messages. Either all of the messages change, or none. */
  updateMetadata = (messages: readonly MetadataUpdate[]): Promise<void> =>
    this.#settle(this.#api.change('PATCH', '', { messages }))

  async #send(
    text: string,
    options: SendMessageOptions | undefined,
    after: string | undefined,
  ): Promise<void> {
    const isBranch = after !== undefined && after !== lastIn(this.#allMessages())
    const { agent = this.#options.agent, model = this.#options.model, onBusy } = options ?? {}
    const message = newMessage(text, {
      ...options,
      model,
      senderName: this.#options.senderName,
      previousMessageId: isBranch ? after : undefined,
    })
    this.#set({ shown: undefined, awaited: undefined })
    const kept = { message, agent, model, after, onBusy }
    await this.#sendMessage(kept, keptIn(this.#options.outbox, kept))
  }

  /** `outbox` keeps the message. When it is missing, nothing does. */
  #sendMessage(kept: KeptMessage, outbox: Outbox | undefined): Promise<void> {
    const { message, onBusy } = kept
    const isBusy = this.status === 'submitted' || this.status === 'streaming'
    return this.#deliver(message.id, {
      message,
      isBehind: isBusy && !!onBusy,
      isPatient: !!outbox,
      post: async context => {
        const posted = await postKept(this.#api, kept, { outbox, context })
        if (posted.position) return posted.position
        // The log brings it when it leaves the queue, or another page has it.
        this.#outgoing.drop(message.id)
        if (posted.isQueued) callBack(this.#options.onQueued, { message })
        return undefined
      },
    })
  }

  #deliver(id: string, { post, ...sending }: Delivery): Promise<void> {
    const beginning = this.#beginning
    const deliver = async () => {
      let position: Position | undefined
      beginning.isSending = true
      try {
        position = await post(this.#options.context?.())
      } finally {
        beginning.isSending = false
        beginning.begun.resolve(position)
      }
    }
    return this.#outgoing.send(id, { ...sending, deliver })
  }

  /** Waits for a request. If it fails, the snapshot's `error` says why. */
  async #settle(request: Promise<unknown>): Promise<void> {
    try {
      await request
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
        if (changes.connection === 'lost') this.#forgetOlderError()
        if (changes.connection === 'open') this.#outgoing.wake()
        for (const entry of entries) tellOfEntry(this.#options, entry, this.#state.chat)
      }
    } catch (error) {
      if (signal.aborted) return
      this.close()
      this.#set({ error: asChatError(error), connection: 'lost' })
    }
  }

  /**
   * An error from before the connection was lost is not the reason for that, so it must not stand beside it. An error of
   * the network stays: something that the person did, such as a stop, has not reached the server.
   */
  #forgetOlderError(): void {
    if (this.#state.error?.code !== 'network') this.#set({ error: undefined })
  }

  /** Every change goes through here. Listeners are told once per animation frame, however many changes there were. */
  #set(changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes }
    if (this.#isFrameRequested) return
    this.#isFrameRequested = true
    const requestFrame = this.#options.onFrame ?? onNextAnimationFrame
    requestFrame(() => {
      // Taking the snapshot may call `#set`. That change is in the snapshot already, so it needs no animation frame of
      // its own.
      const snapshot = this.#takeSnapshot()
      this.#isFrameRequested = false
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
    for (const id of outgoing.settle(id => findMessage(chat, id) !== undefined))
      this.#options.outbox?.drop(id)
    return {
      messages: this.#shownMessages(),
      versions: allVersions(this.#allMessages()),
      status: !isLoaded ? 'loading' : outgoing.isSending ? 'submitted' : statusOf(chat),
      connection,
      error,
      unsent: outgoing.unsent,
      queued: outgoing.messages(true),
    }
  }

  #allMessages(): readonly Message[] {
    const known = messagesOf(this.#state.chat)
    const pending = this.#outgoing.messages(false)
    return pending.length === 0 ? known : [...known, ...pending]
  }

  #shownMessages(): readonly Message[] {
    return branchOf(this.#allMessages(), this.#state.shown)
  }
}
