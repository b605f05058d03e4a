import type { Run } from '@throughline/store'
import { agUiForm, type SeenAgUi } from '../../stream/ag-ui/ag-ui-form.ts'
import type { AgUiSubAgents } from '../../stream/ag-ui/ag-ui-request.ts'
import type { Presence } from '../../stream/chat-viewers.ts'
import type { RunForm } from '../../stream/run-form.ts'
import type { AtWaits } from '../../stream/view-run.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { type RunToStream, streamRun } from '../respond/stream-run.ts'
import { type AgUiRequestBody, withoutAnswer } from './ag-ui-body.ts'
import type { SentAnswers } from './sent-answers.ts'

/** What an AG-UI client is shown of a run. */
export interface ShownAgUi {
  readonly run: Run
  readonly body: AgUiRequestBody
  readonly subAgents: AgUiSubAgents
  readonly approvals: AtWaits
  /** What the client has of the events of this AG-UI run. */
  readonly seen: SeenAgUi
  /** The client has the run's last event already. */
  readonly isAtEnd?: boolean | undefined
  /** The client resumes an interrupted AG-UI run: it has everything up to this entry from that one. */
  readonly resumesAfter?: number | undefined
  /** The calls whose results the client has made itself. */
  readonly answered?: ReadonlySet<string> | undefined
  /** The last entry that was in the log when the client asked. */
  readonly joinedAt?: number | undefined
  readonly presence: Presence
  /** Records that the answer was sent to its end. */
  readonly sent: SentAnswers
}

/** Responds to an AG-UI client with a run as AG-UI events. */
export function streamAgUi(context: HttpContext, services: Services, shown: ShownAgUi): Promise<Response> {
  return streamRun(context, services, shownAgUi(shown))
}

/** Returns what an AG-UI client is shown of a run. */
export function shownAgUi(shown: ShownAgUi): RunToStream {
  const { run, approvals, isAtEnd, joinedAt, presence, sent } = shown
  // Not the body: it would stay in memory as long as the stream.
  const { runId } = shown.body
  return {
    run,
    form: agUiFormFor(shown),
    approvals,
    isAtEnd,
    joinedAt,
    presence,
    // The server cannot know more: the client may still lose the bytes on their way.
    onSent: () => sent.add(run, runId),
  }
}

/** Returns the form of a run for one AG-UI client. */
export function agUiFormFor({ run, body, subAgents, resumesAfter, answered, seen }: ShownAgUi): RunForm {
  const { threadId, runId, protocolVersion, messages } = body
  const { answerId } = run
  const snapshot = resumesAfter === undefined ? withoutAnswer(messages, answerId) : undefined
  const request = { threadId, runId, protocolVersion, answerId, subAgents, snapshot, resumesAfter, answered }
  return agUiForm(run, request, seen)
}
