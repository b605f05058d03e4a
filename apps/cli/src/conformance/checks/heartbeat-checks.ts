import { formatPosition } from '@throughline/protocol'
import { durationText } from '../../text/duration.ts'
import type { Check } from '../check.ts'
import { failed, passed, skipped } from '../outcome.ts'
import { describeEvent } from '../words.ts'

/** Clients give a connection up after so many milliseconds of silence. The server's interval is at most 25,000. */
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
