import type { LogStore } from '@throughline/log/log-store'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import type { Seat } from '../runs/chat-viewers.ts'
import { dataStreamHeartbeat } from '../stream/data-stream.ts'
import { dataStreamForm } from '../stream/data-stream-form.ts'
import { inlineForm } from '../stream/inline-form.ts'
import { chunkForm } from '../stream/run-form.ts'
import { runStart, type ViewSignals } from '../stream/run-pages.ts'
import { viewEnd, viewRun } from '../stream/views.ts'
import type { HttpContext, Services } from './context.ts'
import { chunkStreamHeaders, respondWithStream, type StreamAnswer } from './respond-with-stream.ts'
import type { WireForm } from './wire-form.ts'

export interface PlaceInRun {
  readonly run: Run
  readonly after: Position
  /** Frames that the viewer has of the entry after the position. */
  readonly frames?: number
  /** The position is that of the run's last chunk. */
  readonly isAtEnd?: boolean
}

export interface ShownRun extends PlaceInRun {
  readonly seat: Seat
  readonly form: WireForm
}

/** Answers with a run from some place on, in the form that was asked for. */
export function streamRun(context: HttpContext, services: Services, shown: ShownRun): Response {
  const { log } = services.store
  const isDataStream = shown.form === 'data-stream'
  const answer = isDataStream ? dataStreamAnswer : { headers: chunkStreamHeaders }
  const { seat } = shown
  return respondWithStream(context, services, {
    ...answer,
    seat,
    view: signals => viewInForm(log, shown, signals),
  })
}

/** The same headers and the same silence as an AI SDK 4 server's. */
const dataStreamAnswer: Pick<StreamAnswer, 'headers' | 'heartbeat'> = {
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-vercel-ai-data-stream': 'v1' },
  heartbeat: Buffer.from(dataStreamHeartbeat),
}

async function* viewInForm(
  log: LogStore,
  { run, after, frames = 0, form, isAtEnd = false }: ShownRun,
  signals: ViewSignals,
): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  switch (form) {
    case 'data-stream':
      return yield* viewRun(log, run, { after, ...signals, form: dataStreamForm(run) })
    case 'inline':
      if (isAtEnd) return yield* viewEnd()
      return yield* viewRun(log, run, {
        after: await runStart(log, run),
        ...signals,
        form: inlineForm(run, { after, frames }),
      })
    case 'envelope':
    case 'hidden':
      if (isAtEnd) return yield* viewEnd()
      return yield* viewRun(log, run, { after, ...signals, form: chunkForm(after.epoch, run, form) })
  }
}
