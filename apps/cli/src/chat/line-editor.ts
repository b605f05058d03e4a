import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Writable } from 'node:stream'
import type { Output, Shell } from '../shell.ts'

export interface LineEditorOptions {
  /** Ctrl-C, when there is nothing typed that it could clear. */
  readonly onInterrupt: () => void
  /** A line that was entered while none was asked for. True when that was all; otherwise it is kept for `readLine`. */
  readonly onEarlyLine?: (line: string) => boolean
  /** Ctrl-D, or the end of the input: nothing will be typed any more. */
  readonly onEnd?: () => void
}

interface Reading {
  readonly prompt: string
  readonly resolve: (line: string | undefined) => void
}

/**
 * A line of input below everything that is written. While it is held back nothing of it is on the screen, not even
 * what is typed: that appears with the next prompt.
 */
export class LineEditor implements Disposable {
  readonly #output: Output
  readonly #options: LineEditorOptions
  readonly #gate: Gate
  readonly #lines: Interface
  readonly #early: string[] = []
  #reading: Reading | undefined
  #question: Reading | undefined
  /** What had been typed for something else when a question came. */
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
      // The answer to a question is nothing to be called back.
      .on('history', history => this.#question !== undefined && history.shift())
      .on('close', () => this.#end())
  }

  /** The next line: what was entered early, or what is typed at the prompt. Nothing when no more will come. */
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

  /** Asks something in between. What was typed before is no answer to it. Nothing when the signal aborts. */
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
    const answer = await promise
    signal.removeEventListener('abort', withdraw)
    this.#question = undefined
    this.#takeTyped()
    if (!this.#isClosed) this.#lines.write(this.#draft)
    this.#draw()
    return answer
  }

  /** Writes above the prompt. */
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
    // At once: the next line may be in the same piece of input, and is not for the same one.
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
    // Typed anew: the interface would otherwise go back up as many lines as this text took where it stood before.
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

/** The screen as the line editor sees it: it can draw there only when it may. */
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
