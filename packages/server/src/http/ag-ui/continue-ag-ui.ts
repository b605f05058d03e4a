import type { ChatKey } from '@throughline/protocol'
import type { Seat } from '../../runs/chat-viewers.ts'
import type { AgUiSubAgents } from '../../stream/ag-ui/ag-ui-request.ts'
import { parseEventId, parseWaitEventId } from '../../stream/sse-events.ts'
import type { AtWaits } from '../../stream/view-run.ts'
import { endAtWait } from '../../stream/view-wait.ts'
import { type PositionInRun, positionAt, positionUnknown } from '../chat/position-in-run.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatNotFound } from '../problems.ts'
import { respondWithStream } from '../respond-with-stream.ts'
import type { AgUiBody } from './ag-ui-body.ts'
import { findResumed } from './ag-ui-resume.ts'
import type { SentAnswers } from './sent-answers.ts'
import { agUiFormFor, type ShownAgUi, streamAgUi } from './stream-ag-ui.ts'

/** A client that was cut off, and comes back with the id of the last event that it has. */
interface CameBack extends ChatKey {
  readonly lastEventId: string
  readonly body: AgUiBody
  readonly subAgents: AgUiSubAgents
  readonly approvals: AtWaits
  readonly seat: Seat
  readonly sent: SentAnswers
}

/**
 * Responds with the events of an AG-UI run after the last one that the client has seen. It only reads: it begins no run,
 * and carries out no decision. Throws a 410 problem for an id that is not one of this thread.
 *
 * The client sends the same body as before. The events follow from the log and from that body, so they are the same as
 * the first time.
 */
export async function continueAgUi(
  context: HttpContext,
  services: Services,
  { lastEventId, ...asked }: CameBack,
): Promise<Response> {
  const { ownerId, chatId } = asked
  const chat = { ownerId, chatId }
  if ((await services.store.chats.get(chat)) === undefined) throw chatNotFound(chatId)
  const wait = parseWaitEventId(lastEventId)
  const { position, events } = wait === undefined ? parseEventId(lastEventId) : { ...wait, events: 0 }
  const found = await positionAt(services, chat, { position, events, isLastSeen: true })
  if (found === undefined) throw await positionUnknown(services, chat, lastEventId)
  const shown: ShownAgUi = {
    ...asked,
    ...found,
    ...(await interruptBefore(services, asked, found)),
    seen: { after: found.after, events, atWait: wait?.events ?? 0 },
  }
  if (wait === undefined) return streamAgUi(context, services, shown)
  const end = await endAtWait(services.store.log, found.run, { form: agUiFormFor(shown), at: found.after })
  if (end === undefined) throw await positionUnknown(services, chat, lastEventId)
  return respondWithStream(context, services, {
    seat: asked.seat,
    async *view() {
      yield end
    },
  })
}

/** Returns where this AG-UI run began, and what the client gave it, if it resumed an earlier one. */
async function interruptBefore(
  services: Services,
  { ownerId, chatId, body }: Omit<CameBack, 'lastEventId'>,
  { run }: PositionInRun,
): Promise<Pick<ShownAgUi, 'resumesAfter' | 'answered'>> {
  const { messages, resume } = body
  const resumed = await findResumed(services, { ownerId, chatId, messages, resume: resume ?? [] })
  if (resumed?.run.id !== run.id) return {}
  const { resumesAfter, answered } = resumed
  return { resumesAfter, answered }
}
