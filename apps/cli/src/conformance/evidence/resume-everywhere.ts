import type { RecordedEvent } from '@throughline/protocol/history'
import { failed, type Outcome, passed } from './check.ts'
import type { Asked } from './checked-server.ts'
import type { Session } from './session.ts'
import { describeEvent } from './sse-stream.ts'

/** A stream that was read once, and how to read it again. */
export interface Resumable {
  /** The positions after which it can be read again, in order. */
  readonly after: readonly string[]
  /** Returns the events that must come after the position with this index. */
  readonly rest: (index: number) => readonly RecordedEvent[]
  readonly request: (position: string) => { readonly path: string } & Asked
}

/** Of a longer stream, at most this many positions are tried, spread over the whole stream. */
const maxPositions = 100

/** At most this many streams are open at a time. */
const atOnce = 4

/** Reads a stream again after each of its positions. Each time, the bytes must be those of the first reading. */
export async function resumeEverywhere(session: Session, resumable: Resumable): Promise<Outcome> {
  const indices = spread(resumable.after.length, maxPositions)
  for (let start = 0; start < indices.length; start += atOnce) {
    const some = indices.slice(start, start + atOnce)
    const outcomes = await Promise.all(some.map(index => resumeAt(session, resumable, index)))
    const wrong = outcomes.find(outcome => outcome !== undefined)
    if (wrong !== undefined) return wrong
  }
  const { length } = resumable.after
  return passed(
    indices.length === length ? `all ${length} positions` : `${indices.length} of ${length} positions`,
  )
}

/** Returns what is wrong when the stream is read again after one position; `undefined` when all is right. */
async function resumeAt(
  { server, options }: Session,
  { after, rest, request }: Resumable,
  index: number,
): Promise<Outcome | undefined> {
  const position = after[index] ?? ''
  const wanted = rest(index)
  const { path, ...asked } = request(position)
  using stream = await server.open(path, asked)
  await stream.until(({ events }) => events.length >= wanted.length, options.patienceMs)
  // Whichever has more events: the others must not end early.
  const longer = stream.events.length > wanted.length ? stream.events : wanted
  const wrong = longer.findIndex((_, place) => stream.events[place]?.bytes !== wanted[place]?.bytes)
  if (wrong === -1) return undefined
  return failed({
    expected: `${describeEvent(wanted[wrong])} as event ${wrong + 1} after ${position}`,
    came: describeEvent(stream.events[wrong]),
    advice:
      'A viewer who comes back after a cut would miss or repeat something. Check that proxies pass the query and the header Last-Event-ID on, and cache nothing.',
  })
}

/** Returns up to `max` of the indices below `length`, evenly spread, with the first and the last. */
function spread(length: number, max: number): readonly number[] {
  const count = Math.min(length, max)
  return Array.from({ length: count }, (_, index) =>
    count === length ? index : Math.round((index * (length - 1)) / (count - 1)),
  )
}
