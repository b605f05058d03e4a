import type { AgentEvent, ToolCall } from '../agent-event.ts'
import type { HideSecrets } from '../errors/hide-secrets.ts'
import { cutErrorText, cutValue } from '../values/cut-value.ts'
import { hasPictures, type KeepFile, keepPictures } from '../values/pictures/keep-pictures.ts'

type OutputEvent = Extract<AgentEvent, { type: 'tool-result' | 'tool-progress' }>

type Admitted = AgentEvent | undefined

/** An event as it may be written down; nothing when it is left out. It takes a moment when there are files to keep. */
export type Admission = (event: AgentEvent) => Admitted | Promise<Admitted>

/** After the limit of a run is reached, this much of each output is still kept. */
const minKeptBytes = 1_000
/** What a chunk costs beside what it carries. */
const chunkBytes = 200

/**
 * Stands between the events of an agent, whatever it is made of, and its message. Pictures become files here, and what
 * tools take and return is cut to size, before it gets into the log, into memory and to every reader.
 */
export function admission(run: AdmittingRun): Admission {
  return event => {
    try {
      return admitted(run, event)
    } catch {
      // Not an event as it should be. Whoever writes it finds that too, and says what is wrong with it.
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
  // The result replaces what is shown while the tool works, so progress may use up only half, and is left out then.
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
