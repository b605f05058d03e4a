import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { formatPosition, parseEntry } from '@throughline/protocol'
import type { RecordedEvent } from '@throughline/protocol/history'
import { durationText } from '../../text/units.ts'
import { type Check, failed, type Outcome, passed, skipped } from '../evidence/check.ts'
import { describeEvent, eventCount } from '../evidence/sse-stream.ts'

const unbuffer =
  'Something between here and the server buffers the stream. In nginx set "proxy_buffering off", in Caddy "flush_interval -1"; elsewhere, switch response buffering and compression off for text/event-stream (docs/guides/proxies.md).'

/** Whether the proxies before the server let streams through as they are. */
export const streamChecks: readonly Check[] = [
  {
    name: 'stream/headers',
    title: 'The headers of a stream forbid caching and buffering',
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
    title: 'The log arrives while its stream stays open',
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
    title: 'An answer arrives while it is written',
    needs: ['answer/complete'],
    async run(_session, evidence) {
      const { events, sentAt } = await evidence.answer()
      const log = await evidence.log()
      const lastAt = events.at(-1)?.arrivedAt ?? sentAt
      const arrivedMs = lastAt - (events.at(0)?.arrivedAt ?? sentAt)
      // Without the log we do not know when the answer was written. But then it is already known that something buffers.
      const writtenMs = log.end === 'enough' ? writingTime(log.events) : lastAt - sentAt
      return steadyOutcome(writtenMs, arrivedMs)
    },
  },
  {
    name: 'stream/http-version',
    title: 'Browsers get HTTP/2',
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
  return passed(isNamed ? 'all three' : 'without x-accel-buffering, which nginx honours and removes')
}

/** An answer that was written in less time, in milliseconds, says nothing about buffering. */
const minWritingMs = 500

/**
 * Compares how long the server wrote with how long the events took to arrive. A proxy that collects the events sends all of
 * them at once. The time before the first event does not count, because a busy server may begin late.
 */
function steadyOutcome(writtenMs: number, arrivedMs: number): Outcome {
  const [written, arrived] = [writtenMs, arrivedMs].map(ms => durationText(Math.round(ms)))
  if (writtenMs < minWritingMs)
    return skipped(`the whole answer was written in ${written}. Ask for a longer one with --message`)
  if (arrivedMs >= writtenMs / 4) return passed(`written in ${written}, arrived in ${arrived}`)
  return failed({
    expected: `the events of an answer that took ${written}, spread over that time`,
    came: `all events within ${arrived}`,
    advice: unbuffer,
  })
}

/** Returns how long the server wrote on an answer, in milliseconds, by its own clock. The user's message is entry 1. */
function writingTime(events: readonly RecordedEvent[]): number {
  const times = events.slice(1).flatMap(({ data }) => {
    const parsed = parseEntry(data)
    return parsed.type === 'entry' ? [parsed.entry.at] : []
  })
  return (times.at(-1) ?? 0) - (times.at(0) ?? 0)
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

/** After this many milliseconds of silence, clients give a connection up. The server's interval is at most 25,000. */
const maxSilenceMs = 30_000

/** Whether a stream that has nothing to say is kept alive. */
export const heartbeatChecks: readonly Check[] = [
  {
    name: 'heartbeat/idle',
    title: 'A stream that waits gets heartbeats, and nothing else',
    needs: ['resume/log'],
    async run({ server, options }, evidence) {
      if (options.isQuick) return skipped('--quick leaves out what only waits')
      const { chatId } = await evidence.answer()
      const { position } = await evidence.log()
      using stream = await server.open(`/api/chats/${chatId}/log?after=${formatPosition(position)}`)
      const openedAt = performance.now()
      // The stream opens with `retry`. A heartbeat is what comes after that.
      const waited = await stream.until(
        ({ commentCount, events }) => commentCount > 1 || events.length > 0,
        maxSilenceMs,
      )
      const took = durationText(Math.round(performance.now() - openedAt))
      if (stream.events.length === 0 && waited === 'enough') return passed(`after ${took}`)
      const how = waited === 'late' ? 'nothing' : 'the end of the connection'
      return failed({
        expected: `a comment within ${durationText(maxSilenceMs)}, and no event`,
        came: stream.events.length > 0 ? describeEvent(stream.events[0]) : `${how} after ${took}`,
        advice:
          'If the connection ended, raise the time limit of the proxy for silent connections (proxy_read_timeout in nginx), or set stream.heartbeatMs lower. If nothing came, something buffers the stream (docs/guides/proxies.md).',
      })
    },
  },
]
