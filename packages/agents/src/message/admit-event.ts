import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import type { HideSecrets } from '../errors/hide-secrets.ts'
import { cutErrorText, cutValue } from '../values/cut-value.ts'
import { hasPictures, type KeepFile, keepPictures } from '../values/keep-pictures.ts'

type OutputEvent = Extract<AgentEvent, { type: 'tool-result' | 'tool-progress' }>

type Admitted = AgentEvent | undefined

/**
 * Returns an event as it may be written, or `undefined` when it is left out. Returns a promise only when files have to be
 * kept first.
 */
export type EventAdmission = (event: AgentEvent) => Admitted | Promise<Admitted>

/** How much of each output is still kept after the run has reached its limit. */
const minKeptBytes = 1_000
/** The size of a chunk without its output, roughly. */
const chunkBytes = 200

/**
 * Makes the function that prepares the events of an agent before they are written. Pictures become files, secrets are
 * covered, and the inputs and outputs of tools are cut to size. So nothing larger gets into the log or to a reader.
 */
export function admission(run: AdmittingRun): EventAdmission {
  return event => {
    try {
      return admitted(run, event)
    } catch {
      // It is not a valid event. The writer finds that out, too, and says what is wrong.
      return event
    }
  }
}

/** What admission needs of a run. */
interface AdmittingRun {
  readonly limits: { readonly maxToolOutputBytes: number; readonly maxRunToolOutputBytes: number }
  /** How many bytes of tools' outputs the run has written so far. */
  readonly counts: { toolOutputBytes: number }
  readonly hideSecrets?: HideSecrets | undefined
  readonly keepFile: KeepFile
}

function admitted(run: AdmittingRun, event: AgentEvent): Admitted | Promise<Admitted> {
  switch (event.type) {
    case 'tool-call':
      return withSmallInput(run, event)
    case 'content':
      return event.toolCalls === undefined
        ? event
        : { ...event, toolCalls: event.toolCalls.map(call => withSmallInput(run, call)) }
    case 'tool-call-invalid':
    case 'tool-error': {
      const { hideSecrets: hide = asItIs } = run
      return withSmallInput(run, { ...event, errorText: cutErrorText(hide(event.errorText)) })
    }
    case 'tool-progress':
    case 'tool-result':
      return withFiles(run, withSmallInput(run, event))
    default:
      return event
  }
}

const asItIs: HideSecrets = text => text

function withSmallInput<Call extends ToolCall>({ limits }: AdmittingRun, call: Call): Call {
  const maxBytes = limits.maxToolOutputBytes
  const { value } = cutValue(call.input, { limit: 'maxToolOutputBytes', maxBytes })
  return value === call.input ? call : { ...call, input: value }
}

function withFiles(run: AdmittingRun, event: OutputEvent): Admitted | Promise<Admitted> {
  const { output } = event
  if (!hasPictures(output)) return withSmallOutput(run, event)
  return keepPictures(output, run.keepFile).then(kept => withSmallOutput(run, { ...event, output: kept }))
}

function withSmallOutput(
  { limits, counts, hideSecrets: hide }: AdmittingRun,
  event: OutputEvent,
): OutputEvent | undefined {
  const { maxToolOutputBytes, maxRunToolOutputBytes } = limits
  const isProgress = event.type === 'tool-progress'
  // Progress is shown only until the result comes. So it may use half of the limit; after that it is left out.
  const left = (isProgress ? maxRunToolOutputBytes / 2 : maxRunToolOutputBytes) - counts.toolOutputBytes
  if (isProgress && left <= 0) return undefined
  const room = Math.max(left, minKeptBytes)
  const isRunFull = room < maxToolOutputBytes
  const { value, bytes } = cutValue(event.output, {
    limit: isRunFull ? 'maxRunToolOutputBytes' : 'maxToolOutputBytes',
    maxBytes: isRunFull ? Math.floor(room) : maxToolOutputBytes,
    hide,
  })
  counts.toolOutputBytes += bytes + (isProgress ? chunkBytes : 0)
  return { ...event, output: value }
}
