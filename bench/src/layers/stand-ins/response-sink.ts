import type { ServerResponse } from 'node:http'
import { responseSink as framingSink } from '../../../../packages/server/src/stream/bytes/response-sink.ts'

/** Leaves the chunk framing to Node. The sink leaves it alone in a response that seems to have none when the sink is made. */
export function responseSink(response: ServerResponse): ReturnType<typeof framingSink> {
  const { chunkedEncoding } = response
  response.chunkedEncoding = false
  const sink = framingSink(response)
  response.chunkedEncoding = chunkedEncoding
  return sink
}
