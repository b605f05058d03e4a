import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Writable } from 'node:stream'
import type { Output, Shell } from '../shell/shell.ts'

/** The callbacks of a line editor. */
export interface LineEditorOptions {
  /** Called at Ctrl-C when nothing is typed. Otherwise Ctrl-C clears the line. */
  readonly onInterrupt: () => void
  /** Called with a line that was entered before anybody asked for one. Return false to keep it for `readLine`. */
  readonly onEarlyLine?: (line: string) => boolean
  /** Called at Ctrl-D or at the end of the input: no more lines will come. */
  readonly onEnd?: () => void
}

interface Reading {
  readonly prompt: string
  readonly resolve: (line: string | undefined) => void
}

/**
 * A line of input below everything that is printed. Between `hold` and `release` nothing of it is on the screen. What
 * is typed in that time appears with the next prompt.
 */
export class LineEditor implements Disposable {
  readonly #output: Output
  readonly #options: LineEditorOptions
  readonly #gate: Gate
  readonly #lines: Interface
  readonly #early: string[] = []
  #reading: Reading | undefined
  #question: Reading | undefined
  /** What was typed at the prompt before a question came. It is put back after the question. */
  #draft = ''
  #isHeld = false
  #isClosed = false

  constructor({ input, output }: Pick<Shell, 'input' | 'output'>, options: LineEditorOptions) {
    this.#output = output
    this.#options = options
    this.#gate = new Gate(output)
    this.#lines = createInterface({ input, output: this.#gate, terminal: true, prompt: '' })
      .on('line', line => this.#take(line))
      .on('SIGINT', () => this.#interrupt())
      // What a person types at a question is not kept in the history of lines.
      .on('history', history => this.#question !== undefined && history.shift())
      .on('close', () => this.#end())
  }

  /**
   * Returns the next line: one that was entered early, or one typed at the prompt. `undefined` when no more will come.
   */
  readLine(prompt: string): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    const early = this.#early.shift()
    if (early !== undefined) {
      this.#output.write(`${prompt}${early}\n`)
      return Promise.resolve(early)
    }
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#reading = { prompt, resolve }
    this.#draw()
    return promise
  }

  /** Asks a question in between, with an empty line. Returns `undefined` when the signal aborts or the input ends. */
  async ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#isClosed || signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#erase()
    this.#draft = this.#takeTyped()
    this.#question = { prompt, resolve }
    this.#draw()
    const withdraw = () => {
      this.#erase()
      resolve(undefined)
    }
    signal.addEventListener('abort', withdraw)
    const line = await promise
    signal.removeEventListener('abort', withdraw)
    this.#question = undefined
    this.#takeTyped()
    if (!this.#isClosed) this.#lines.write(this.#draft)
    this.#draw()
    return line
  }

  /** Runs a function that prints something, above the prompt. */
  write(write: () => void): void {
    this.#erase()
    write()
    this.#draw()
  }

  /** Takes the prompt off the screen until `release`. */
  hold(): void {
    this.#erase()
    this.#isHeld = true
  }

  /** Puts the prompt back on the screen. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#draw()
  }

  close(): void {
    this.#lines.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  get #visible(): Reading | undefined {
    return this.#question ?? (this.#isHeld ? undefined : this.#reading)
  }

  #take(line: string): void {
    const asked = this.#visible
    this.#gate.isOpen = false
    if (asked === undefined) {
      if (this.#options.onEarlyLine?.(line) !== true) this.#early.push(line)
      return
    }
    // Cleared before `resolve`: the next line may come in the same piece of input, and it is not for this prompt.
    if (asked === this.#question) this.#question = undefined
    else this.#reading = undefined
    asked.resolve(line)
  }

  #interrupt(): void {
    if (this.#visible === undefined || this.#lines.line === '') return this.#options.onInterrupt()
    this.#erase()
    this.#takeTyped()
    this.#draw()
  }

  #end(): void {
    this.#isClosed = true
    if (this.#gate.isOpen) this.#output.write('\n')
    this.#gate.isOpen = false
    this.#question?.resolve(undefined)
    this.#reading?.resolve(undefined)
    this.#reading = undefined
    this.#options.onEnd?.()
  }

  #draw(): void {
    const visible = this.#visible
    if (visible === undefined || this.#gate.isOpen || this.#isClosed) return
    // The text is taken out and typed again. Otherwise `prompt` would move the cursor up by the lines that the text
    // took at its old position.
    const typed = this.#takeTyped()
    this.#gate.isOpen = true
    this.#lines.setPrompt(visible.prompt)
    this.#lines.prompt()
    this.#lines.write(typed)
  }

  #erase(): void {
    if (!this.#gate.isOpen) return
    const { rows } = this.#lines.getCursorPos()
    this.#gate.isOpen = false
    moveCursor(this.#output, 0, -rows)
    cursorTo(this.#output, 0)
    clearScreenDown(this.#output)
  }

  #takeTyped(): string {
    const { line } = this.#lines
    if (this.#isClosed) return line
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
    return line
  }
}

/** The output of readline. It passes text to the screen only while it is open. */
class Gate extends Writable {
  readonly #output: Output
  isOpen = false

  constructor(output: Output) {
    super()
    this.#output = output
    output.on('resize', () => this.emit('resize'))
  }

  get columns(): number | undefined {
    return this.#output.columns
  }

  override _write(data: Buffer, _encoding: string, done: () => void): void {
    if (this.isOpen) this.#output.write(data)
    done()
  }
}
