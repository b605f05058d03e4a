import type { Entry } from '@throughline/protocol/entry'
import { encodeSse } from '@throughline/protocol/sse'

// Test only: a network that answers as it is told.

/** One answer: a whole response, or the pieces of an event stream that then ends or stays open. */
export type ScriptedAnswer =
  | Response
  | { readonly pieces: readonly (string | Uint8Array<ArrayBuffer>)[]; readonly staysOpen?: boolean }

export interface ScriptedRequests {
  /** The addresses asked for, in order. */
  readonly urls: readonly string[]
  /** Whether the reader of a stream that stays open waits for more than there is. */
  readonly isDrained: boolean
  request(url: string, init: RequestInit): Promise<Response>
}

/** Answers each request with the next answer; after the last one nobody answers any more. */
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

/** An entry as the server frames it. */
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
  // Nothing is taken before it is read, so a drained stream is one whose reader has dealt with all of it.
  return new ReadableStream(source, { highWaterMark: 0 })
}
