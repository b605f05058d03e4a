import { parseQueryEvent, type QueryEvent, type QueryEventOf } from '@throughline/protocol'
import type { QueryEventType } from '@throughline/protocol/testing'
import { sendJson } from './chat-requests.ts'

export interface QueryQuestion {
  readonly path?: 'query-stream-delta' | 'query-stream' | 'query'
  /** Fields of the request body, added to `message` or replacing it. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts a question as a client of the event API does. */
export function query(url: string, question: QueryQuestion = {}): Promise<Response> {
  const { path = 'query-stream-delta', fields, headers } = question
  return sendJson(`${url}/agent/${path}`, { message: 'How is the weather?', ...fields }, { headers })
}

/**
 * Returns all events of an answer. Throws unless each is one line of JSON that a client knows, and `: done` is last.
 */
export async function queryEvents(response: Response): Promise<readonly QueryEvent[]> {
  return eventsIn(await response.text())
}

export function eventsIn(body: string): readonly QueryEvent[] {
  const sseEvents = body.split('\n\n')
  const [done, rest] = sseEvents.splice(-2)
  if (done !== ': done' || rest !== '') throw new Error(`The stream is not done:\n${body}`)
  const isEvent = (sseEvent: string) => sseEvent !== ': heartbeat' && !sseEvent.startsWith('retry: ')
  return sseEvents.filter(isEvent).map(eventFrom)
}

/** Returns the events of one type. */
export function ofType<Type extends QueryEventType>(
  events: readonly QueryEvent[],
  type: Type,
): readonly QueryEventOf<Type>[] {
  return events.filter((event): event is QueryEventOf<Type> => event.type === type)
}

/** Returns the events without their times, which differ in every run. */
export function timeless(events: readonly QueryEvent[]): readonly unknown[] {
  return events.map(({ timestamp: _, ...event }) => event)
}

function eventFrom(sseEvent: string): QueryEvent {
  const [, json = ''] = /^data: (\{.*\})$/.exec(sseEvent) ?? []
  const parsed = parseQueryEvent(json)
  if (parsed.type !== 'event') throw new Error(`This is no event: ${sseEvent}`)
  const { timestamp } = parsed.event
  if (new Date(timestamp).toISOString() !== timestamp) throw new Error(`This has no time: ${sseEvent}`)
  return parsed.event
}
