import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { durationText } from '../../text/duration.ts'
import type { Check } from '../check.ts'
import type { CheckedServer } from '../checked-server.ts'
import { failed, type Outcome, passed, skipped } from '../outcome.ts'
import { eventCount } from '../words.ts'

const unbuffer =
  'Something between here and the server buffers the stream. In nginx set "proxy_buffering off", in Caddy "flush_interval -1"; elsewhere, switch response buffering and compression off for text/event-stream (docs/guides/proxies.md).'

/** Whether the proxies before the server let streams through as they are. */
export const streamChecks: readonly Check[] = [
  {
    name: 'stream/headers',
    title: 'The headers of a stream keep caches and proxies from holding it back',
    needs: ['answer/complete'],
    async run(_session, evidence) {
      return headersOutcome((await evidence.answer()).headers)
    },
  },
  {
    name: 'stream/compression',
    title: 'Streams are not compressed',
    needs: ['answer/complete'],
    async run(_session, evidence) {
      const { headers } = await evidence.answer()
      const encoding = headers.get('content-encoding') ?? 'identity'
      if (encoding === 'identity') return passed('no content-encoding')
      return failed({
        expected: 'a stream without content-encoding',
        came: `content-encoding: ${encoding}`,
        advice:
          'A proxy compresses the stream. Compression collects bytes before it sends them. Switch it off for text/event-stream.',
      })
    },
  },
  {
    name: 'stream/open',
    title: 'Entries of the log arrive while the stream stays open',
    needs: ['answer/complete'],
    async run({ options }, evidence) {
      const { events, end, position } = await evidence.log()
      if (end === 'enough') return passed(eventCount(events.length))
      const came = `${eventCount(events.length)}, then ${end === 'late' ? `nothing for ${durationText(options.patienceMs)}` : 'the end of the stream'}`
      return failed({ expected: eventCount(position.seq), came, advice: unbuffer })
    },
  },
  {
    name: 'stream/steady',
    title: 'The first event of an answer arrives long before the last one',
    needs: ['answer/complete'],
    async run({ server }, evidence) {
      const { events, sentAt } = await evidence.answer()
      const first = (events.at(0)?.arrivedAt ?? sentAt) - sentAt
      const whole = (events.at(-1)?.arrivedAt ?? sentAt) - sentAt
      return steadyOutcome({ first, whole, roundTrip: await shortestRoundTrip(server) })
    },
  },
  {
    name: 'stream/http-version',
    title: 'Browsers get HTTP/2, so that many open chats do not wait for each other',
    async run({ options }) {
      const { protocol, hostname, port } = new URL(options.url)
      if (protocol !== 'https:')
        return skipped(
          'this address is plain HTTP, where browsers speak HTTP/1.1: six open chats use up their connections',
        )
      return alpnOutcome(await negotiated(hostname, Number(port || 443)))
    },
  },
]

function headersOutcome(headers: Headers): Outcome {
  const type = headers.get('content-type') ?? 'none'
  const caching = headers.get('cache-control') ?? 'none'
  const isStream = type.startsWith('text/event-stream')
  if (!isStream || !caching.includes('no-transform') || !caching.includes('no-cache'))
    return failed({
      expected: 'content-type: text/event-stream, and cache-control: no-cache, no-transform',
      came: `content-type: ${type}, cache-control: ${caching}`,
      advice:
        'A proxy removes or replaces headers of the server. Let it pass content-type, cache-control and x-accel-buffering on.',
    })
  const isNamed = headers.get('x-accel-buffering') === 'no'
  return passed(
    isNamed
      ? 'content-type, cache-control, x-accel-buffering'
      : 'content-type, cache-control; x-accel-buffering did not come through, because nginx honours and removes it',
  )
}

interface Arrivals {
  /** All in milliseconds after the request was sent. */
  readonly first: number
  readonly whole: number
  /** How long a request without work takes. */
  readonly roundTrip: number
}

/**
 * The server sends the first event before it asks the model. So the first event comes almost at once, however slow the
 * model is. If it comes late, something held it back.
 */
function steadyOutcome({ first, whole, roundTrip }: Arrivals): Outcome {
  const ms = (time: number) => durationText(Math.round(time))
  if (whole < Math.max(500, 10 * roundTrip))
    return skipped(`the whole answer took only ${ms(whole)}. Ask for a longer one with --message`)
  const came = `the first after ${ms(first)}, the last after ${ms(whole)} (${Math.round((100 * first) / whole)} %)`
  if (first <= whole / 2) return passed(came)
  return failed({ expected: 'the first event in the first half of the time', came, advice: unbuffer })
}

/** Returns how long a request without work takes, in milliseconds: the shortest of a few. */
async function shortestRoundTrip(server: CheckedServer): Promise<number> {
  const times: number[] = []
  while (times.length < 3) {
    const sentAt = performance.now()
    await server.request('/health', { as: 'nobody' })
    times.push(performance.now() - sentAt)
  }
  return Math.min(...times)
}

function alpnOutcome(protocol: string | undefined): Outcome {
  if (protocol === 'h2') return passed('h2')
  return failed({
    expected: 'h2 when a client offers h2 and http/1.1',
    came: protocol ?? 'no choice of a protocol',
    advice:
      'Switch HTTP/2 on in the proxy. Over HTTP/1.1 a browser opens six connections to a server, and every open chat holds one.',
  })
}

/** Returns the protocol that a TLS server chooses when it is offered those that browsers offer. */
function negotiated(host: string, port: number): Promise<string | undefined> {
  const name = host.replace(/^\[|\]$/g, '')
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const socket = connect(
    {
      host: name,
      port,
      // TLS does not allow an IP address as the name of a server.
      ...(isIP(name) === 0 && { servername: name }),
      ALPNProtocols: ['h2', 'http/1.1'],
      timeout: 10_000,
    },
    () => {
      resolve(socket.alpnProtocol || undefined)
      socket.destroy()
    },
  )
  socket.once('error', reject)
  socket.once('timeout', () => socket.destroy(new Error('The TLS handshake took more than 10 seconds.')))
  return promise
}
