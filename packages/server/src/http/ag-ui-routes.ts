import { ProblemError } from '@throughline/protocol/problem'
import { agUiForm } from '../stream/ag-ui-form.ts'
import { runStart } from '../stream/run-pages.ts'
import { viewRun } from '../stream/views.ts'
import { agUiBody, questionIn, submittedFrom, withoutAnswer } from './ag-ui-body.ts'
import type { HttpContext, Services } from './context.ts'
import { chatIdFrom, readBody } from './requests.ts'
import { respondWithStream, seatOf } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { submissionFrom } from './submission.ts'

/** The route that AG-UI clients use. */
export function agUiRoutes(services: Services): readonly Route[] {
  return [{ method: 'POST', path: '/ag-ui', policy: 'owner', handle: context => runAgent(context, services) }]
}

async function runAgent(context: HttpContext, services: Services): Promise<Response> {
  assertTakesEventStream(context.req.header('accept'))
  const { threadId, runId, messages, forwardedProps, resume } = await readBody(context, agUiBody)
  if (resume?.length) throw nothingToResume()
  const { log } = services.store
  const submission = submissionFrom(services, {
    ...forwardedProps,
    ownerId: context.get('ownerId'),
    chatId: chatIdFrom(threadId),
    onBusy: forwardedProps.onBusy ?? 'interrupt-unviewed',
    message: submittedFrom(questionIn(messages)),
  })
  const seat = seatOf(context, services, submission)
  const run = await services.runner.submit(submission, seat)
  const after = await runStart(log, run)
  const snapshot = withoutAnswer(messages, run.answerId)
  const form = agUiForm(run, { threadId, runId, answerId: run.answerId, snapshot })
  return respondWithStream(context, services, {
    seat,
    view: signals => viewRun(log, run, { after, ...signals, form }),
  })
}

// Approvals wait inside a run here, and are answered beside it.
function nothingToResume(): ProblemError {
  return new ProblemError(
    400,
    'nothing-to-resume',
    'Runs are not interrupted here: leave "resume" out. A call that waits for approval is answered at POST /api/approvals/:id.',
  )
}

/** Events come as server-sent events only. Who names what they take, and not this, must hear of it. */
function assertTakesEventStream(accept: string | undefined): void {
  if (accept === undefined || accept.split(',').some(takesEventStream)) return
  throw new ProblemError(
    406,
    'event-stream-only',
    'Events are sent as text/event-stream only. Send "accept: text/event-stream".',
  )
}

function takesEventStream(range: string): boolean {
  const [type = '', ...parameters] = range.split(';').map(each => each.trim().toLowerCase())
  const isRefused = parameters.some(each => /^q=0(\.0*)?$/.test(each))
  return !isRefused && ['', '*/*', 'text/*', 'text/event-stream'].includes(type)
}
