import type { Entry } from '@throughline/protocol'
import type { RunForm } from '@throughline/server/testing'
import { expect } from 'vitest'
import { type SseEventBytes, sseEventsIn } from '../http/sse-bytes.ts'

/** Returns the bytes of a whole run in a wire form, which is given the run as one page. */
export function formBytes(form: RunForm, entries: readonly Entry[]): Buffer {
  return formBytesOfPages(form, [entries])
}

/** Returns the same bytes of a form that is given the run page by page. */
export function formBytesOfPages(form: RunForm, pages: readonly (readonly Entry[])[]): Buffer {
  const pieces = pages.flatMap(page => {
    const encoded = form.encode(page)
    if (Symbol.asyncIterator in encoded) throw new TypeError('This form does not wait for anything.')
    return encoded
  })
  return Buffer.concat([...pieces, ...form.end])
}

/**
 * Expects that a stream that resumes after any of its SSE events has the bytes that the whole stream has after that
 * event. `resume` returns the bytes of the stream that resumes, or `undefined` for an event without a position.
 */
export function expectSameAfterEachEvent(
  whole: Buffer,
  resume: (event: SseEventBytes, index: number) => Buffer | undefined,
): void {
  let rest = whole
  for (const [index, event] of sseEventsIn(whole).entries()) {
    rest = rest.subarray(event.bytes.length)
    const resumed = resume(event, index)
    // Comparing bytes is much faster than comparing text. The text is for the message of a failed test.
    if (resumed === undefined || resumed.equals(rest)) continue
    expect(resumed.toString(), `after event ${index}`).toBe(rest.toString())
  }
}
