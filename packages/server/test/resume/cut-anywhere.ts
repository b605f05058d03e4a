import { sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { expect } from 'vitest'

/** What a resume brings after each number of whole events seen. */
export async function resumeEverywhere(
  whole: Buffer,
  resume: (id: string | undefined) => Promise<Buffer>,
): Promise<readonly Buffer[]> {
  const resumed: Buffer[] = []
  let lastId: string | undefined
  for (const { id } of [{ id: undefined }, ...sseEventsIn(whole)]) {
    lastId = id ?? lastId
    // After `[DONE]`, which has no id, there is nothing to come back for.
    resumed.push(resumed.length > 0 && id === undefined ? Buffer.alloc(0) : await resume(lastId))
  }
  return resumed
}

/** Checks that the events before any cut, and what a resume brought after them, are the uninterrupted stream. */
export function expectWholeAfterAnyCut(whole: Buffer, resumed: readonly Buffer[]): void {
  const ends = [0]
  for (const { bytes } of sseEventsIn(whole)) ends.push((ends.at(-1) ?? 0) + bytes.length)
  expect(ends.at(-1)).toBe(whole.length)
  for (let cut = 0; cut <= whole.length; cut += 1) {
    // What a client has kept of the bytes before the cut: whole events only.
    const blankLine = whole.subarray(0, cut).lastIndexOf('\n\n')
    const end = blankLine === -1 ? 0 : blankLine + 2
    const rest = resumed[ends.indexOf(end)] ?? Buffer.from('There is no event boundary here.')
    if (Buffer.concat([whole.subarray(0, end), rest]).equals(whole)) continue
    expect(`${whole.subarray(0, end)}${rest}`, `cut after ${cut} bytes`).toBe(whole.toString())
  }
}
