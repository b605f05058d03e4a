import type { StreamSink } from '../stream/stream-sink.ts'
import { webSink } from '../stream/web-sink.ts'
import type { Connection } from './connection.ts'

/** The connection of a web-standard request. */
export interface WebConnection extends Connection {
  /** Must be called when the response is made. A response that is no stream is complete then. */
  responded(): void
}

/** Returns a connection for a web-standard request. Its streams are the bodies of web-standard responses. */
export function webConnection(request: Request, basePath: string): WebConnection {
  const left = new AbortController()
  const sent: (() => void)[] = []
  let stream: StreamSink | undefined
  const close = () => left.abort()
  const finish = () => {
    if (!left.signal.aborted) for (const callback of sent) callback()
  }
  const cut = () => {
    stream?.cut()
    close()
  }
  const leave = () => {
    close()
    // Most frameworks cancel the body now, and report an error of a body as a fault. The others get the error.
    setImmediate(cut)
  }
  if (request.signal.aborted) close()
  else request.signal.addEventListener('abort', leave, { once: true })
  return {
    basePath,
    // A web-standard request does not say where it comes from.
    isRemote: false,
    address: undefined,
    closed: left.signal,
    body: () => bodyOf(request),
    openStream(headers) {
      const { sink, body } = webSink({ onClose: close, onFinish: finish })
      stream = sink
      return { sink, response: new Response(body, { headers }) }
    },
    onSent: callback => void sent.push(callback),
    cut,
    responded() {
      if (stream !== undefined) return
      finish()
      close()
    },
  }
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body
}
