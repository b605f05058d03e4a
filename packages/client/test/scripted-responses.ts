import { type Entry, encodeSse } from '@throughline/protocol'

// Test only: a network with scripted responses.

/** One response: a whole one, or the pieces of an event stream that then ends or stays open. */
export type ScriptedAnswer =
  | Response
  | { readonly pieces: readonly (string | Uint8Array<ArrayBuffer>)[]; readonly staysOpen?: boolean }

export interface ScriptedRequests {
  /** The addresses of the requests, in order. */
  readonly urls: readonly string[]
  /** Whether the reader of a stream that stays open has read everything and waits for more. */
  readonly isDrained: boolean
  request(url: string, init: RequestInit): Promise<Response>
}

/** Gives each request the next response. After the last one, requests fail. */
export function scriptedRequests(answers: readonly ScriptedAnswer[]): ScriptedRequests {
  const urls: string[] = []
  let isDrained = false
  const onDrained = () => {
    isDrained = true
  }
  return {
    urls,
    get isDrained() {
      return isDrained
    },
    async request(url, { signal }) {
      const answer = answers[urls.length]
      urls.push(url)
      if (answer instanceof Response) return answer
      return answer === undefined ? unanswered(signal) : new Response(streamOf(answer, { signal, onDrained }))
    },
  }
}

/** An entry as a server-sent event. */
export function frameOf(entry: Entry): string {
  return encodeSse({ id: `epoch.${entry.seq}`, data: JSON.stringify(entry) })
}

function unanswered(signal: RequestInit['signal']): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

function streamOf(
  { pieces, staysOpen = false }: Exclude<ScriptedAnswer, Response>,
  { signal, onDrained }: { readonly signal: RequestInit['signal']; readonly onDrained: () => void },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const waiting = pieces.map(piece => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    pull(controller) {
      const piece = waiting.shift()
      if (piece !== undefined) controller.enqueue(piece)
      else if (staysOpen) onDrained()
      else controller.close()
    },
  }
  // The stream buffers nothing. So when it asks for more, its reader has handled everything.
  return new ReadableStream(source, { highWaterMark: 0 })
}
