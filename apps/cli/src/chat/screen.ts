import type { Chat, ChatSnapshot, ToolOutput } from '@throughline/client'
import { outputFromText } from '@throughline/protocol'
import type { Shell } from '../shell/shell.ts'
import { inOneLine } from '../text/plain-text.ts'
import { isChatBusy } from './perform.ts'
import {
  type PersonRequest,
  personRequests,
  requestKey,
  type WaitingApproval,
  type WaitingQuestion,
} from './person-requests.ts'
import { endLine, leaveBlankLine, type Printing } from './print-items.ts'
import { afterTyping, nothingShown, renderChat, type Shown, type View } from './render-chat.ts'

/** What a person has decided about a tool call. */
export interface ApprovalReply {
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** The person in front of the screen. */
export interface Reader {
  /** Returns the decision on a tool call; `undefined` when the signal aborts or nobody decides. */
  decide(request: WaitingApproval, signal: AbortSignal): Promise<ApprovalReply | undefined>
  /** Returns the answer to a question, or why there is none; `undefined` when the signal aborts or nobody answers. */
  answer(request: WaitingQuestion, signal: AbortSignal): Promise<string | ToolOutput | undefined>
  /** Runs a function that prints something, so that it does not disturb the prompt. */
  write(write: () => void): void
  /** Called when an answer begins: from now on, the reader cannot type. */
  hold(): void
  /** Called when the reader can type again. */
  release(): void
}

/** What a screen needs. */
export interface ScreenOptions {
  readonly chat: Pick<Chat, 'getSnapshot' | 'subscribe' | 'addToolOutput' | 'approve'>
  readonly shell: Pick<Shell, 'output' | 'errors'>
  readonly view: Omit<View, 'columns'>
  readonly reader: Reader
}

/** Prints a chat as it changes, and asks the reader for decisions on tool calls, and for answers. Notes go to the error output. */
export class Screen implements Disposable {
  readonly #options: ScreenOptions
  readonly #unsubscribe: () => void
  #shown: Shown = nothingShown
  #connection: ChatSnapshot['connection'] = 'connecting'
  #error: ChatSnapshot['error']
  #question: { readonly id: string; readonly withdrawal: AbortController } | undefined
  /** The requests that the reader has settled. */
  readonly #settled = new Set<string>()
  #isClosed = false

  constructor(options: ScreenOptions) {
    this.#options = options
    this.#unsubscribe = options.chat.subscribe(() => this.#present())
  }

  /** Marks everything that the chat has now as printed. */
  skip(): void {
    const { printed } = this.#render()
    this.#shown = { ...printed, cursor: this.#shown.cursor, speakerId: undefined }
  }

  /** Call this when the person has typed a message at the prompt. */
  typed(text: string): void {
    this.#shown = afterTyping(this.#shown, text)
  }

  /** Call this when the person has typed something else at the prompt. */
  entered(): void {
    this.#shown = { ...this.#shown, cursor: 'start' }
  }

  /** Prints an empty line below the last item. */
  leaveBlankLine(): void {
    this.#write(leaveBlankLine(this.#shown))
  }

  /** Prints a note on a line of its own, on the error output. */
  note(text: string): void {
    const { shell, reader, view } = this.#options
    // On a terminal both outputs share the screen. So the note needs a new line, and what follows does too.
    if (shell.output.isTTY === true) this.#write(endLine(this.#shown))
    reader.write(() => shell.errors.write(`${view.paint('faint', inOneLine(text))}\n`))
    if (shell.output.isTTY === true) this.#shown = { ...this.#shown, cursor: 'start' }
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    this.#question?.withdrawal.abort()
    this.#write(endLine(this.#shown))
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #present(): void {
    const snapshot = this.#options.chat.getSnapshot()
    this.#tellTroubles(snapshot)
    const waiting = personRequests(snapshot.messages)
    if (this.#question !== undefined) {
      // Withdraw the question when somebody else has decided, or when the answer was stopped. Print nothing else while
      // the question is on the screen.
      const { id, withdrawal } = this.#question
      if (!waiting.some(request => request.id === id)) withdrawal.abort()
      return
    }
    const rendering = this.#render()
    // A whole answer may come in one snapshot. Even then its last line has to be ended before the prompt is drawn.
    if (isChatBusy(snapshot) || rendering.text !== '') this.#options.reader.hold()
    this.#write(rendering)
    const next = waiting.find(({ id }) => this.#shown.seen.has(requestKey(id)) && !this.#settled.has(id))
    if (next !== undefined) return void this.#ask(next)
    if (isChatBusy(snapshot)) return
    this.#write(endLine(this.#shown))
    this.#options.reader.release()
  }

  async #ask(request: PersonRequest): Promise<void> {
    const { id } = request
    const withdrawal = new AbortController()
    this.#write(endLine(this.#shown))
    this.#question = { id, withdrawal }
    const send = await this.#replyTo(request, withdrawal.signal)
    this.#question = undefined
    this.#settled.add(id)
    await send?.()
    if (!this.#isClosed) this.#present()
  }

  /** Asks the reader. Returns what sends their reply, if there is one. */
  async #replyTo(request: PersonRequest, signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { chat, reader } = this.#options
    const { id } = request
    if (request.type === 'approval') {
      const decision = await reader.decide(request, signal)
      return decision && (() => chat.approve(id, decision.approved, decision.reason))
    }
    const answer = await reader.answer(request, signal)
    if (answer === undefined) return undefined
    const output = typeof answer === 'string' ? { output: outputFromText(answer) } : answer
    return () => chat.addToolOutput(id, output)
  }

  #tellTroubles({ connection, error }: ChatSnapshot): void {
    const before = this.#connection
    this.#connection = connection
    if (connection === 'lost' && before === 'open')
      this.note('The connection is lost. Trying to get it back …')
    if (connection === 'open' && before === 'lost') this.note('Connected again.')
    const known = this.#error
    this.#error = error
    if (error === undefined || error === known) return
    // The error may mean that a decision was not delivered. So ask again for everything that still waits.
    this.#settled.clear()
    if (error.message !== known?.message) this.note(error.message)
  }

  #render(): Printing & { readonly printed: Shown } {
    const { chat, view, shell } = this.#options
    return renderChat(this.#shown, chat.getSnapshot(), { ...view, columns: shell.output.columns })
  }

  #write({ printed, text }: Printing): void {
    this.#shown = { ...this.#shown, ...printed }
    if (text !== '') this.#options.reader.write(() => this.#options.shell.output.write(text))
  }
}
