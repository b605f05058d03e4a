import type { ChatSnapshot } from '@throughline/client/chat-snapshot'
import type { Chat } from '@throughline/client/create-chat'
import type { Shell } from '../shell.ts'
import { inOneLine } from '../text/plain-text.ts'
import { type ApprovalRequest, approvalKey, waitingApprovals } from './approvals.ts'
import { isBusy } from './perform.ts'
import { endLine, endTurn, type Printing } from './print-blocks.ts'
import { afterTyping, nothingShown, renderChat, type Shown, type View } from './render-chat.ts'

export interface Decision {
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** Who sits before the screen. */
export interface Reader {
  /** Decides on a tool call; nothing when the question was withdrawn or nobody answers. */
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<Decision | undefined>
  /** Runs what writes, in a place where it may. */
  write(write: () => void): void
  /** An answer has begun: it is not the reader's turn. */
  hold(): void
  /** The chat waits for the reader. */
  release(): void
}

export interface ScreenOptions {
  readonly chat: Pick<Chat, 'getSnapshot' | 'subscribe' | 'approve'>
  readonly shell: Pick<Shell, 'output' | 'errors'>
  readonly view: Omit<View, 'columns'>
  readonly reader: Reader
}

/** Shows a chat as it changes, and has the reader asked what its tools need to know. Notes go to the error output. */
export class Screen implements Disposable {
  readonly #options: ScreenOptions
  readonly #unsubscribe: () => void
  #shown: Shown = nothingShown
  #connection: ChatSnapshot['connection'] = 'connecting'
  #error: ChatSnapshot['error']
  #question: { readonly id: string; readonly withdrawal: AbortController } | undefined
  /** Requests whose answer is on its way. */
  readonly #answered = new Set<string>()
  #isClosed = false

  constructor(options: ScreenOptions) {
    this.#options = options
    this.#unsubscribe = options.chat.subscribe(() => this.#present())
  }

  /** Takes everything that the chat holds now for shown. */
  skip(): void {
    const { printed } = this.#render()
    this.#shown = { ...printed, cursor: this.#shown.cursor, speakerId: undefined }
  }

  /** The person typed this message at the prompt. */
  typed(text: string): void {
    this.#shown = afterTyping(this.#shown, text)
  }

  /** Something else was typed at the prompt. */
  entered(): void {
    this.#shown = { ...this.#shown, cursor: 'start' }
  }

  /** Leaves an empty line below what is shown. */
  endTurn(): void {
    this.#write(endTurn(this.#shown))
  }

  note(text: string): void {
    const { shell, reader, view } = this.#options
    // On a terminal both outputs are one: what is being written there goes on in a new line.
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
    const waiting = waitingApprovals(snapshot.messages)
    if (this.#question !== undefined) {
      // Answered elsewhere, or stopped. What else is new is shown when the question is off the screen.
      const { id, withdrawal } = this.#question
      if (!waiting.some(request => request.id === id)) withdrawal.abort()
      return
    }
    const rendering = this.#render()
    // A whole answer may come in one snapshot: its last line must be ended before the prompt is below it.
    if (isBusy(snapshot) || rendering.text !== '') this.#options.reader.hold()
    this.#write(rendering)
    const next = waiting.find(({ id }) => this.#shown.seen.has(approvalKey(id)) && !this.#answered.has(id))
    if (next !== undefined) return void this.#ask(next)
    if (isBusy(snapshot)) return
    this.#write(endLine(this.#shown))
    this.#options.reader.release()
  }

  async #ask(request: ApprovalRequest): Promise<void> {
    const { chat, reader } = this.#options
    const { id } = request
    const withdrawal = new AbortController()
    this.#write(endLine(this.#shown))
    this.#question = { id, withdrawal }
    const decision = await reader.decide(request, withdrawal.signal)
    this.#question = undefined
    this.#answered.add(id)
    if (decision !== undefined) await chat.approve(id, decision.approved, decision.reason)
    if (!this.#isClosed) this.#present()
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
    // A decision that did not get through is asked for again.
    this.#answered.clear()
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
