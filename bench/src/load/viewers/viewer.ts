import { connect, type Socket } from 'node:net'
import type { AnswerPlan } from '../answer-plan.ts'
import { now } from '../clock.ts'
import type { Latencies } from '../latencies.ts'
import { ChunkedBody } from './chunked-body.ts'
import { SseScan } from './sse-scan.ts'
import { requestText, type ViewerRequest } from './viewer-request.ts'

/** What all viewers of a process count together. */
export interface Counts {
  readonly latencies: Latencies
  delivered: number
  lost: number
  doubled: number
  events: number
  /** The connections that ended or broke before the answer was complete. */
  broken: number
}

/** What a viewer got of the log of a chat, in latin1: one character is one byte. */
export interface SeenLog {
  readonly chatId: string
  readonly bytes: string
}

/** What a socket has just received. All viewers share it, because each reads it at once. */
const received = Buffer.alloc(64 * 1024)

/** One connection: sends a request, and counts the deltas in the response. */
export class Viewer {
  readonly #url: URL
  readonly #request: ViewerRequest
  readonly #counts: Counts
  #socket: Socket | undefined
  readonly #scan: SseScan | undefined
  #isCut = false
  /** The number that the next delta should have. */
  #next = 0
  #startAt: number
  #kept: Buffer[] | undefined
  /** When the first delta after `resume` came. */
  resumedAt: number | undefined

  constructor(url: URL, request: ViewerRequest, counts: Counts) {
    this.#url = url
    this.#request = request
    this.#counts = counts
    this.#startAt = request.plan?.startMs ?? 0
    this.#scan = request.plan && this.#scanOf(request.plan)
  }

  /** Tells when the gate was opened. Until then, no delta of an answer that waits at the gate can come. */
  setGate(time: number): void {
    if (this.#request.plan?.from === 'gate') this.#startAt = time + this.#request.plan.startMs
  }

  /** True when the viewer has seen the end of its answer, or looks at none. */
  get isDone(): boolean {
    return this.#request.plan === undefined || this.#scan?.hasFinished === true
  }

  /** Sends the request. Resolves when the head of the response is there. Throws when its status is not 2xx. */
  open(): Promise<void> {
    return this.#send(requestText(this.#url, this.#request))
  }

  /** Whether the viewer follows the log of a chat. */
  get isOfLog(): boolean {
    return this.#request.path.endsWith('/log')
  }

  /** From now on, the viewer keeps what it gets. That costs memory, so few viewers do. */
  keep(): void {
    this.#kept = []
  }

  get kept(): SeenLog | undefined {
    if (this.#kept === undefined) return undefined
    return { chatId: this.#request.chatId, bytes: Buffer.concat(this.#kept).toString('latin1') }
  }

  /** From now on, the viewer does not read what is sent. */
  stall(): void {
    this.#socket?.pause()
  }

  cut(): void {
    this.#isCut = true
    this.#socket?.destroy()
  }

  /** Connects again, and asks for what comes after the last event. */
  resume(): Promise<void> {
    this.#isCut = false
    this.resumedAt = undefined
    const { chatId } = this.#request
    const request: ViewerRequest = { method: 'GET', path: `/api/chat/${chatId}/stream`, chatId }
    return this.#send(requestText(this.#url, request, this.#scan?.lastEventId))
  }

  /** Counts the deltas that have not come. They have waited at least until now. */
  countMissing(): number {
    const { plan } = this.#request
    if (plan === undefined) return 0
    for (let number = this.#next; number < plan.deltas; number += 1)
      this.#counts.latencies.add(now() - this.#startAt - number * plan.intervalMs)
    return Math.max(0, plan.deltas - this.#next)
  }

  #send(text: string): Promise<void> {
    const head = Promise.withResolvers<void>()
    const body = new ChunkedBody()
    let hasHead = false
    const read = (bytes: Buffer) => {
      if (hasHead) return this.#read(body.read(bytes))
      const end = bytes.indexOf('\r\n\r\n')
      const line = bytes.toString('latin1', 0, bytes.indexOf('\r\n'))
      hasHead = true
      if (end === -1 || !/ 2\d\d /.test(line))
        return head.reject(new Error(`${this.#request.path} was refused: ${bytes.toString()}`))
      head.resolve()
      this.#read(body.read(bytes.subarray(end + 4)))
    }
    const socket = connect({
      ...{ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true },
      onread: {
        buffer: received,
        callback(size, buffer) {
          read(Buffer.from(buffer.buffer, buffer.byteOffset, size))
          return true
        },
      },
    })
    this.#socket = socket
    this.#scan?.restart()
    socket.write(text)
    socket.on('error', error => head.reject(error))
    socket.on('close', () => {
      head.reject(new Error(`${this.#request.path}: the connection ended without a response.`))
      if (!this.#isCut && !this.isDone) this.#counts.broken += 1
    })
    return head.promise
  }

  #read(bytes: Buffer): void {
    // A copy: the buffer belongs to the socket, which writes over it.
    this.#kept?.push(Buffer.from(bytes))
    this.#scan?.read(bytes)
  }

  #scanOf(plan: AnswerPlan): SseScan {
    return new SseScan(plan, {
      delta: number => this.#receive(number, plan),
      event: () => {
        this.#counts.events += 1
      },
    })
  }

  #receive(number: number, { intervalMs }: AnswerPlan): void {
    const at = now()
    this.resumedAt ??= at
    if (number < this.#next) {
      this.#counts.doubled += 1
      return
    }
    this.#counts.lost += number - this.#next
    this.#counts.delivered += 1
    this.#counts.latencies.add(at - this.#startAt - number * intervalMs)
    this.#next = number + 1
  }
}
