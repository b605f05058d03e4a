import type { ChildProcess } from 'node:child_process'
import { type JSONRPCMessage, type MCPTransport, validateJSONRPCMessage } from '@ai-sdk/mcp'
import spawn from 'cross-spawn'
import { McpMessageTooLarge, maxMcpMessageBytes } from './message-limits.ts'

/** The program of an MCP server, and how to start it. */
export interface ProgramOptions {
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Is called when one message of the program is too large. The program is ended then. */
  readonly onFlood: (error: unknown) => void
}

/** How long a program may take to end after it was asked to, in milliseconds. */
const maxEndMs = 2_000

/** Talks to a program over its standard input and output. Each line is one message in JSON. */
export class ProgramTransport implements MCPTransport {
  readonly supportsProtocolVersionDiscovery = true
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #options: ProgramOptions
  #child: ChildProcess | undefined

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  start(): Promise<void> {
    const { command, args = [], env = {} } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const child = spawn(command, [...args], {
      env: { ...basicEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child = child
    child.once('spawn', resolve)
    child.on('error', error => {
      reject(error)
      this.onerror?.(error)
    })
    child.once('close', () => {
      this.#child = undefined
      this.onclose?.()
    })
    child.stdin?.on('error', error => this.onerror?.(error))
    child.stdout?.on('error', error => this.onerror?.(error))
    this.#listen(child)
    return promise
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (stdin === undefined || stdin === null) throw new Error('The program has ended.')
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await drained(stdin)
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    child.stdin?.end()
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), maxEndMs)
    // This must not keep the process alive when it wants to end.
    timer.unref()
    child.once('close', () => clearTimeout(timer))
  }

  #listen(child: ChildProcess): void {
    const reader = new LineReader(maxMcpMessageBytes)
    child.stdout?.on('data', (piece: Buffer) => {
      try {
        for (const line of reader.read(piece)) this.#take(line)
      } catch (error) {
        child.stdout?.removeAllListeners('data')
        child.kill('SIGKILL')
        this.#options.onFlood(error)
      }
    })
  }

  // Lines that are not messages, such as the program's own log, are ignored. So are messages that the client does not expect,
  // such as a result that comes too late.
  #take(line: string): void {
    try {
      this.onmessage?.(messageIn(line))
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('This is no message.'))
    }
  }
}

function messageIn(line: string): JSONRPCMessage {
  return validateJSONRPCMessage(JSON.parse(line, line.includes('__proto__') ? withoutProto : undefined))
}

function withoutProto(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

function drained(stdin: NodeJS.WritableStream): Promise<void> {
  return new Promise(resolve => {
    stdin.once('drain', resolve)
    // The program may have ended already.
    stdin.once('close', resolve)
  })
}

/** Returns the variables that every program needs. None of them is a key of the server. */
function basicEnvironment(): Record<string, string> {
  const names =
    process.platform === 'win32'
      ? [
          'APPDATA',
          'HOMEDRIVE',
          'HOMEPATH',
          'LOCALAPPDATA',
          'PATH',
          'PATHEXT',
          'PROCESSOR_ARCHITECTURE',
          'SYSTEMDRIVE',
          'SYSTEMROOT',
          'TEMP',
          'USERNAME',
          'USERPROFILE',
        ]
      : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']
  return Object.fromEntries(
    names.flatMap(name => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/**
 * Splits bytes that come in pieces into lines. The time is linear in the size of a line: each piece is searched once, and the
 * pieces of a line are joined once, when the line is complete.
 */
export class LineReader {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Yields the lines that are complete, without line ends. Throws when a line is too long, also before its end. */
  *read(piece: Buffer): Generator<string, void, undefined> {
    let start = 0
    for (;;) {
      const end = piece.indexOf(0x0a, start)
      this.#add(piece.subarray(start, end === -1 ? undefined : end))
      if (end === -1) return
      const line = Buffer.concat(this.#pieces, this.#bytes).toString('utf8')
      this.#clear()
      yield line.endsWith('\r') ? line.slice(0, -1) : line
      start = end + 1
    }
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes <= this.#maxBytes) return
    this.#clear()
    throw new McpMessageTooLarge(this.#maxBytes)
  }

  #clear(): void {
    this.#pieces = []
    this.#bytes = 0
  }
}
