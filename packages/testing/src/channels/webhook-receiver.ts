import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isRecord } from '@throughline/protocol'
import { inTime } from '../waits/in-time.ts'

/** A block as a receiver gets it. */
export interface ReceivedBlock {
  readonly key: string
  readonly conversation: string
  readonly text: string
  readonly signature: string
  readonly body: Buffer
  readonly fields: Readonly<Record<string, unknown>>
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string
  /** Every request so far, including those with a known key. */
  readonly requests: readonly ReceivedBlock[]
  /** The blocks without those whose key was known: what the receiver shows. */
  readonly shown: readonly ReceivedBlock[]
  /** Resolves when the condition holds. It is checked after every request. */
  until(isAsExpected: (shown: readonly ReceivedBlock[]) => boolean): Promise<void>
}

/**
 * What happens to a request: an HTTP status, `reset`, or `never` (no response). A block counts as shown with a 2xx.
 */
export type Treatment = (request: number) => number | 'reset' | 'never'

/** Starts a program that takes blocks over HTTP and remembers their keys, as a receiver of webhooks should. */
export async function startWebhookReceiver(treat: Treatment = () => 200): Promise<WebhookReceiver> {
  const requests: ReceivedBlock[] = []
  const shown: ReceivedBlock[] = []
  const listeners = new Set<() => void>()

  async function take(block: ReceivedBlock, response: ServerResponse): Promise<void> {
    requests.push(block)
    const treatment = treat(requests.length - 1)
    const isTaken = typeof treatment === 'number' && treatment < 300
    if (isTaken && !shown.some(({ key }) => key === block.key)) shown.push(block)
    if (typeof treatment === 'number') response.writeHead(treatment).end()
    if (treatment === 'reset') response.socket?.resetAndDestroy()
    for (const listener of listeners) listener()
  }

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const fields: unknown = JSON.parse(body.toString())
    if (!isRecord(fields)) throw new TypeError('A block is not an object.')
    await take(
      {
        key: String(request.headers['idempotency-key']),
        conversation: String(fields['conversation']),
        text: String(fields['text']),
        signature: String(request.headers['x-throughline-signature']),
        body,
        fields,
      },
      response,
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!isAddress(address)) throw new Error('The receiver has no port.')
  return {
    url: `http://127.0.0.1:${address.port}/blocks`,
    requests,
    shown,
    until(isAsExpected) {
      const held = new Promise<void>(resolve => {
        const look = () => {
          if (!isAsExpected(shown)) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      })
      return inTime('the receiver has what is expected', held, { seen: () => shown.map(({ text }) => text) })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}
