import type { Run } from '@throughline/store/runs'
import type { Seat } from '../runs/chat-viewers.ts'
import { agUiForm } from '../stream/ag-ui/ag-ui-form.ts'
import type { AgUiSubAgents } from '../stream/ag-ui/ag-ui-state.ts'
import { runStart, type ViewSignals } from '../stream/run-pages.ts'
import { viewRun } from '../stream/views.ts'
import { watchApprovals } from '../stream/waits/watch-approvals.ts'
import { type AgUiBody, withoutAnswer } from './ag-ui-body.ts'
import type { HttpContext, Services } from './context.ts'
import { respondWithStream } from './respond-with-stream.ts'
import type { SentAnswers } from './sent-answers.ts'
import type { ApprovalForm } from './wire-form.ts'

interface ShownAgUi {
  readonly run: Run
  readonly body: AgUiBody
  readonly subAgents: AgUiSubAgents
  readonly approvals: ApprovalForm
  /** The client resumes the run: it has everything up to this entry. */
  readonly resumesAfter?: number | undefined
  /** Where the log ended when the client asked. */
  readonly joinedAt?: number | undefined
  readonly seat: Seat
  /** Where it is noted that the answer was sent to its end. */
  readonly told: SentAnswers
}

/** Answers with a run as AG-UI events. */
export function streamAgUi(context: HttpContext, services: Services, shown: ShownAgUi): Response {
  const { run, body, seat, told } = shown
  const { outgoing } = context.env
  return respondWithStream(context, services, {
    seat,
    async *view(signals) {
      const how = yield* viewAgUi(services, shown, signals)
      // As far as anybody here can know, the client has the answer once all of it has left this process.
      if (how === 'ended') outgoing.once('finish', () => told.add(run, body.runId))
    },
  })
}

async function* viewAgUi({ store }: Services, shown: ShownAgUi, signals: ViewSignals) {
  const { run, body, subAgents, approvals, resumesAfter, joinedAt } = shown
  const { threadId, runId, protocolVersion, messages } = body
  const { answerId } = run
  const after = await runStart(store.log, run)
  const snapshot = resumesAfter === undefined ? withoutAnswer(messages, answerId) : undefined
  const request = { threadId, runId, protocolVersion, answerId, subAgents, snapshot }
  const form = agUiForm(run, { ...request, resumesAfter })
  const isVisible = ({ messageId }: { readonly messageId: string }) =>
    subAgents !== 'hidden' || messageId === answerId
  const watch = approvals === 'end' ? watchApprovals(store, run, { after, isVisible }) : undefined
  return yield* viewRun(store.log, run, { after, ...signals, form, watch, joinedAt })
}
