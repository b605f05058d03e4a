import { PassThrough, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { run } from '../src/main.ts'
import type { Shell } from '../src/shell/shell.ts'

// Test only: a fake terminal. It keeps everything that was written on it.

export interface FakeTerminal {
  readonly shell: Shell
  /** All that was written, without colours and cursor movements. */
  readonly text: string
  /** Types a line and enters it. */
  enter(line: string): void
  /** Types, and enters nothing. */
  type(text: string): void
  press(key: 'ctrl-c' | 'ctrl-d'): void
  /** Resolves when this text is written after the one that was awaited last. Returns everything written up to it. */
  until(text: string): Promise<string>
}

const keys = { 'ctrl-c': '\u0003', 'ctrl-d': '\u0004' } as const

export function fakeTerminal(env: Shell['env'] = { NO_COLOR: '1' }): FakeTerminal {
  const waiting = new Set<() => void>()
  let text = ''
  let seen = 0
  const screen = () =>
    Object.assign(
      new Writable({
        write(bytes, _encoding, done) {
          text += stripVTControlCharacters(String(bytes))
          done()
          for (const look of waiting) look()
        },
      }),
      { isTTY: true, columns: 80 },
    )
  const input = Object.assign(new PassThrough(), { isTTY: true })
  return {
    shell: { env, input, output: screen(), errors: screen(), onInterrupt: () => () => {} },
    get text() {
      return text
    },
    enter: line => input.write(`${line}\r`),
    type: line => input.write(line),
    press: key => input.write(keys[key]),
    until(expected) {
      const { promise, resolve } = Promise.withResolvers<string>()
      const look = () => {
        const place = text.indexOf(expected, seen)
        if (place === -1) return
        waiting.delete(look)
        const passed = text.slice(seen, place + expected.length)
        seen = place + expected.length
        resolve(passed)
      }
      waiting.add(look)
      look()
      return promise
    },
  }
}

export interface Session extends FakeTerminal, AsyncDisposable {
  /** The exit code, once the command has ended. */
  readonly code: Promise<number>
}

/** A person at a terminal, talking to a server. */
export function startChat(url: string, ...words: readonly string[]): Session {
  const terminal = fakeTerminal()
  const code = run(['chat', '--url', url, ...words], terminal.shell)
  return Object.assign(terminal, {
    code,
    async [Symbol.asyncDispose]() {
      terminal.shell.input.emit('end')
      await code
    },
  })
}
