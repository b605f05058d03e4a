import type { QueryEvent } from '@throughline/protocol'
import { encodeQuery } from '@throughline/testing/http/query-event-samples'
import type { QueryCallbacks } from '../../src/events/query-agent.ts'
import { type ScriptedAnswer, scriptedRequests } from '../scripted-responses.ts'

// Test only: the event API without a server, and recorded callbacks.

type Bytes = Uint8Array<ArrayBuffer>

export interface ScriptedFetch {
  /** The requests, in order. */
  readonly requests: readonly { readonly url: string; readonly body: unknown; readonly headers: Headers }[]
  /** Whether the reader of a stream that stays open has read everything and waits for more. */
  readonly isDrained: () => boolean
  readonly fetch: typeof globalThis.fetch
}

/** Gives each request the next response. After the last one, requests fail. */
export function scriptedFetch(answers: readonly ScriptedAnswer[]): ScriptedFetch {
  const requests: ScriptedFetch['requests'][number][] = []
  const script = scriptedRequests(answers)
  return {
    requests,
    isDrained: () => script.isDrained,
    fetch: async (input, init = {}) => {
      requests.push({
        url: String(input),
        body: JSON.parse(String(init.body)),
        headers: new Headers(init.headers),
      })
      return script.request(String(input), init)
    },
  }
}

export function bytesOf(events: readonly QueryEvent[]): Bytes {
  return new TextEncoder().encode(encodeQuery(events))
}

/** Every way to cut bytes in two, and the one to cut them into single bytes. */
export function* everyCut(bytes: Bytes): Generator<readonly Bytes[], void, undefined> {
  for (let at = 0; at <= bytes.length; at += 1) yield [bytes.slice(0, at), bytes.slice(at)]
  yield Array.from(bytes, byte => Uint8Array.of(byte))
}

/**
 * Every seventh way to cut bytes in two, and the one to cut them into single bytes. With CUT_STEP=1 every way. This is for
 * what stands on `queryAgent`, which is tested with every cut.
 */
export function* someCuts(bytes: Bytes): Generator<readonly Bytes[], void, undefined> {
  const step = Number(process.env['CUT_STEP'] ?? 7)
  for (let at = 0; at <= bytes.length; at += step) yield [bytes.slice(0, at), bytes.slice(at)]
  yield Array.from(bytes, byte => Uint8Array.of(byte))
}

/** Returns the bytes, cut at the given positions, in any order. */
export function cutAt(bytes: Bytes, places: readonly number[]): readonly Bytes[] {
  const cuts = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...cuts].map((from, index) => bytes.slice(from, cuts[index]))
}

/** Writes down every call, with what it was given. */
export function recordingCallbacks(): {
  readonly calls: readonly (readonly unknown[])[]
  readonly callbacks: Required<QueryCallbacks>
} {
  const calls: unknown[][] = []
  const record =
    (name: string) =>
    (...given: readonly unknown[]) =>
      void calls.push([name, ...given])
  return {
    calls,
    callbacks: {
      onTextDelta: record('onTextDelta'),
      onText: record('onText'),
      onToolCall: record('onToolCall'),
      onToolResult: record('onToolResult'),
      onApprovalRequest: record('onApprovalRequest'),
      onOutputRequest: record('onOutputRequest'),
      onApprovalResponse: record('onApprovalResponse'),
      onStepStart: record('onStepStart'),
      onStepComplete: record('onStepComplete'),
      onFinal: record('onFinal'),
      onUsage: record('onUsage'),
      onError: record('onError'),
      onBadEvent: record('onBadEvent'),
    },
  }
}
