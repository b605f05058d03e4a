import { formatPosition, isRecord } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { type Check, failed, type Outcome, passed } from '../evidence/check.ts'
import { type Asked, describeResponse } from '../evidence/checked-server.ts'
import { entriesForm, readMessages } from '../evidence/evidence.ts'
import { type Resumable, resumeEverywhere } from '../evidence/resume-everywhere.ts'
import type { Session } from '../evidence/session.ts'
import { describeEvent } from '../evidence/sse-stream.ts'

/** Whether a viewer who was cut off gets exactly what is missing. */
export const resumeChecks: readonly Check[] = [
  {
    name: 'resume/log',
    title: 'The log after each position has the same bytes',
    needs: ['order/log'],
    async run(session, evidence) {
      const { events, position } = await evidence.log()
      const { chatId } = await evidence.answer()
      const before = { id: `${position.epoch}.0` }
      const resumable: Resumable = {
        after: [before, ...events.slice(0, -1)].map(({ id = '' }) => id),
        rest: index => events.slice(index),
        request: id => ({ path: `/api/chats/${chatId}/log?after=${id}` }),
      }
      return resumeEverywhere(session, resumable)
    },
  },
  runCheck({
    name: 'resume/last-event-id',
    title: 'A run resumed with Last-Event-ID has the same bytes',
    request: (chatId, id) => ({
      path: `/api/chat/${chatId}/stream?${entriesForm}`,
      headers: { 'last-event-id': id },
    }),
  }),
  runCheck({
    name: 'resume/after',
    title: 'A run resumed with ?after= has the same bytes',
    request: (chatId, id) => ({ path: `/api/chat/${chatId}/stream?${entriesForm}&after=${id}` }),
  }),
  {
    name: 'resume/reset',
    title: 'An unknown position gets an explicit reset',
    needs: ['order/log'],
    async run(session, evidence) {
      const { chatId } = await evidence.answer()
      const { position } = await evidence.log()
      const { epoch, seq } = position
      const positions = {
        'a text that is no position': 'nonsense',
        'an epoch that never was': `ffffffffffffffff.${seq}`,
        'a position in the future': `${epoch}.${seq + 1_000}`,
        'a position of another chat': await positionElsewhere(session),
      }
      for (const [what, after] of Object.entries(positions)) {
        const asked = { chatId, after, what, end: formatPosition(position) }
        const wrong = (await logWithoutReset(session, asked)) ?? (await runWithoutReset(session, asked))
        if (wrong !== undefined) return wrong
      }
      return passed(`${Object.keys(positions).length} kinds of positions`)
    },
  },
]

interface RunCheck extends Pick<Check, 'name' | 'title'> {
  readonly request: (chatId: string, id: string) => { readonly path: string } & Asked
}

/** A check that resumes the stream of the first answer after each of its events. */
function runCheck({ name, title, request }: RunCheck): Check {
  return {
    name,
    title,
    needs: ['order/stream'],
    async run(session, evidence) {
      const { chatId, events } = await evidence.answer()
      return resumeEverywhere(session, {
        after: events.slice(0, -1).map(({ id = '' }) => id),
        rest: index => events.slice(index + 1),
        request: id => request(chatId, id),
      })
    },
  }
}

/** Makes a chat without messages. Returns a position that exists only there. */
async function positionElsewhere(session: Session): Promise<string> {
  const id = session.newChat()
  await session.server.request('/api/chats', { body: { id, title: 'Conformance' } })
  return formatPosition((await readMessages(session, id)).position)
}

interface AskedPosition {
  readonly chatId: string
  readonly after: string
  /** What kind of position it is, in words. */
  readonly what: string
  /** The position at the end of the log. */
  readonly end: string
}

async function logWithoutReset(
  { server, options }: Session,
  { chatId, after, what, end }: AskedPosition,
): Promise<Outcome | undefined> {
  using stream = await server.open(`/api/chats/${chatId}/log?after=${after}`)
  await stream.until(({ events }) => events.length > 0, options.patienceMs)
  const [first] = stream.events
  const data = parseJson(first?.data ?? '')
  const position = isRecord(data) ? data['position'] : undefined
  if (first?.name === 'reset' && position === end) return undefined
  return failed({
    expected: `"event: reset" with the position ${end}, for ${what} (${after})`,
    came: describeEvent(first),
    advice: resetAdvice,
  })
}

async function runWithoutReset(
  { server }: Session,
  { chatId, after, what }: AskedPosition,
): Promise<Outcome | undefined> {
  const path = `/api/chat/${chatId}/stream`
  const { status, text, body } = await server.request(path, { headers: { 'last-event-id': after } })
  if (status === 410 && isRecord(body) && body['code'] === 'position-unknown') return undefined
  return failed({
    expected: `410 position-unknown for ${what} (${after}) at ${path}`,
    came: describeResponse(status, text),
    advice: resetAdvice,
  })
}

const resetAdvice =
  'A viewer with such a position would miss entries and not know it. Check that no proxy caches streams or removes the header Last-Event-ID.'
