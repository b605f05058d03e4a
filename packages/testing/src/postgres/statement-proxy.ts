import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** What becomes of a statement that an application sends to Postgres. */
export type StatementFault =
  /** The server refuses it: it is not executed, and its transaction is undone. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
  /** The connection is lost before the server has it, or after the server has committed it. */
  | { readonly type: 'lost'; readonly moment: 'before' | 'after' }

export interface StatementProxy extends AsyncDisposable {
  readonly url: string
}

/** Returns what becomes of the statement with this text; `undefined` when it is not disturbed. */
export type ChooseFault = (text: string) => StatementFault | undefined

/**
 * Starts a proxy in front of a Postgres server that can make single statements fail, as the server or the network would.
 * `faultOf` is called for each prepared statement that is executed. `begin` and `commit` are none.
 */
export async function startStatementProxy(target: string, faultOf: ChooseFault): Promise<StatementProxy> {
  const { hostname, port } = new URL(target)
  const links = new Set<Link>()
  const server = createServer(client => {
    const link = new Link(client, connect(Number(port), hostname), faultOf)
    links.add(link)
    client.once('close', () => links.delete(link))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const link of links) link.cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The error of Postgres when a portal does not exist. The proxy asks for such a portal, and changes the error. */
const noPortal = '34000'

/** One connection of the application, and the one to the server that belongs to it. */
class Link {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #faultOf: ChooseFault
  /** The texts of the prepared statements, by name. */
  readonly #texts = new Map<string, string>()
  /** The text of the statement that is executed next. */
  #boundText = ''
  readonly #refusals: Extract<StatementFault, { type: 'refused' }>[] = []
  /** The result of a statement is on its way that the application must not see. */
  #isLostAfter = false

  constructor(client: Socket, upstream: Socket, faultOf: ChooseFault) {
    this.#client = client
    this.#upstream = upstream
    this.#faultOf = faultOf
    const fromClient = new Messages(true)
    const fromServer = new Messages(false)
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => this.cut())
      socket.on('close', () => this.cut())
    }
    client.on('data', bytes => {
      for (const message of fromClient.take(bytes)) this.#send(message)
    })
    upstream.on('data', bytes => {
      for (const message of fromServer.take(bytes)) this.#receive(message)
    })
  }

  cut(): void {
    this.#client.destroy()
    this.#upstream.destroy()
  }

  #send(message: Message): void {
    const [first = '', second = ''] = textsIn(message)
    if (message.type === 'P') this.#texts.set(first, second)
    if (message.type === 'B') this.#boundText = this.#texts.get(second) ?? ''
    const fault = message.type === 'E' ? this.#faultOf(this.#boundText) : undefined
    if (fault?.type === 'lost' && fault.moment === 'before') return this.cut()
    if (fault?.type === 'lost') this.#isLostAfter = true
    if (fault?.type === 'refused') this.#refusals.push(fault)
    if (!this.#upstream.destroyed)
      this.#upstream.write(fault?.type === 'refused' ? executeNothing : message.bytes)
  }

  #receive(message: Message): void {
    if (this.#isLostAfter) {
      // The status of the transaction: idle. So the statement is committed.
      if (message.type === 'Z' && message.bytes.at(-1) === 'I'.charCodeAt(0)) this.cut()
      return
    }
    const isRefusal = message.type === 'E' && message.bytes.includes(`C${noPortal}\0`)
    const refusal = isRefusal ? this.#refusals.shift() : undefined
    if (!this.#client.destroyed) this.#client.write(refusal === undefined ? message.bytes : errorOf(refusal))
  }
}

interface Message {
  /** Empty for the first message of an application, which has no type. */
  readonly type: string
  readonly bytes: Buffer
}

/** Cuts the bytes of one direction into messages. */
class Messages {
  #rest = Buffer.alloc(0)
  #isFirst: boolean

  constructor(hasStartup: boolean) {
    this.#isFirst = hasStartup
  }

  *take(bytes: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, bytes])
    for (;;) {
      const headLength = this.#isFirst ? 0 : 1
      if (this.#rest.length < headLength + 4) return
      const length = headLength + this.#rest.readInt32BE(headLength)
      if (this.#rest.length < length) return
      const message = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      yield { type: this.#isFirst ? '' : String.fromCharCode(message[0] ?? 0), bytes: message }
      this.#isFirst = false
    }
  }
}

/** Returns the texts that the messages begin with which prepare a statement (name, text) and bind one (portal, name). */
function textsIn({ type, bytes }: Message): readonly string[] {
  if (type !== 'P' && type !== 'B') return []
  const firstEnd = bytes.indexOf(0, 5)
  const secondEnd = bytes.indexOf(0, firstEnd + 1)
  return [bytes.toString('utf8', 5, firstEnd), bytes.toString('utf8', firstEnd + 1, secondEnd)]
}

/** Executes a portal that does not exist. */
const executeNothing = messageOf('E', Buffer.from('throughline_fault\0\0\0\0\0'))

function errorOf({ code, message }: Extract<StatementFault, { type: 'refused' }>): Buffer {
  return messageOf('E', Buffer.from(`SERROR\0VERROR\0C${code}\0M${message}\0\0`))
}

function messageOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
