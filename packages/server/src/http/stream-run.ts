import type { Position } from '@throughline/protocol/position'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import type { Seat } from '../runs/chat-viewers.ts'
import { goesOnFrame } from '../stream/chunks/encode.ts'
import { dataStreamForm } from '../stream/data-stream/data-stream-form.ts'
import { dataStreamHeartbeat } from '../stream/data-stream/data-stream-projection.ts'
import { inlineForm } from '../stream/inline/inline-form.ts'
import { chunkForm, type RunForm } from '../stream/run-form.ts'
import { runStart, type ViewSignals } from '../stream/run-pages.ts'
import { sdkForm } from '../stream/sdk/sdk-form.ts'
import { viewEnd, viewRun } from '../stream/views.ts'
import type { AwaitedApproval } from '../stream/waits/run-waits.ts'
import { type ApprovalWatch, watchApprovals } from '../stream/waits/watch-approvals.ts'
import type { HttpContext, Services } from './context.ts'
import { chunkStreamHeaders, respondWithStream, type StreamAnswer } from './respond-with-stream.ts'
import type { StreamForm } from './wire-form.ts'

export interface PlaceInRun {
  readonly run: Run
  readonly after: Position
  /** Frames that the viewer has of the entry after the position. */
  readonly frames?: number
  /** The position is that of the run's last chunk. */
  readonly isAtEnd?: boolean
  /** The viewer has the beginning of the message from a stream that has ended: it is told that this goes on with it. */
  readonly goesOn?: boolean
  /** Where the log ended when a viewer came who gave no position. */
  readonly joinedAt?: number
}

export interface ShownRun extends PlaceInRun, StreamForm {
  readonly seat: Seat
}

/** Answers with a run from some place on, in the form that was asked for. */
export function streamRun(context: HttpContext, services: Services, shown: ShownRun): Response {
  const { store } = services
  const isDataStream = shown.form === 'data-stream'
  const answer = isDataStream ? dataStreamAnswer : { headers: chunkStreamHeaders }
  const { seat } = shown
  return respondWithStream(context, services, {
    ...answer,
    seat,
    view: signals => viewInForm(store, shown, signals),
  })
}

/** The same headers as an AI SDK 4 server's. */
export const dataStreamHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-vercel-ai-data-stream': 'v1',
}

const dataStreamAnswer: Pick<StreamAnswer, 'headers' | 'heartbeat'> = {
  headers: dataStreamHeaders,
  heartbeat: Buffer.from(dataStreamHeartbeat),
}

async function* viewInForm(
  store: Store,
  shown: ShownRun,
  signals: ViewSignals,
): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  const { run, after, form, sdk, isAtEnd = false, goesOn = false, joinedAt } = shown
  const { log } = store
  const view = { ...signals, after, joinedAt }
  if (form === 'data-stream') {
    yield* viewRun(log, run, { ...view, form: dataStreamForm(run) })
  } else if (isAtEnd) {
    yield* viewEnd()
  } else {
    if (goesOn) yield [goesOnFrame(run.answerId)]
    // What some forms write depends on what came before, so that is read too.
    const start = form === 'inline' || sdk !== undefined ? await runStart(log, run) : after
    const watch = watchOf(store, { ...shown, after: start })
    yield* viewRun(log, run, { ...view, after: start, form: chunksIn(form, shown), watch })
  }
}

function chunksIn(subAgents: 'envelope' | 'inline' | 'hidden', shown: ShownRun): RunForm {
  const { run, after, frames = 0, sdk } = shown
  if (sdk !== undefined) return sdkForm(run, { after, frames, sdk, subAgents })
  if (subAgents === 'inline') return inlineForm(run, { after, frames })
  return chunkForm(after.epoch, run, subAgents)
}

/** A sub-agent's request is a part of the answer only where sub-agents stand in it. Nobody can answer what they do not see. */
function watchOf(store: Store, { run, after, form, approvals }: ShownRun): ApprovalWatch | undefined {
  if (approvals === 'wait') return undefined
  const isVisible = ({ messageId }: AwaitedApproval) => form === 'inline' || messageId === run.answerId
  return watchApprovals(store, run, { after, isVisible })
}
