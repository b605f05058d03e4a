import { ProblemError } from '@throughline/protocol'
import type { AgUiSubAgents } from '../../stream/ag-ui/ag-ui-request.ts'
import { parseEventId } from '../../stream/bytes/sse-events.ts'
import type { SubAgentForm } from '../../stream/chunks/chunk-stream.ts'
import type { OlderSdk } from '../../stream/sdk/sdk-fields.ts'
import type { AtWaits } from '../../stream/view-run.ts'
import type { HttpContext } from '../request/context.ts'

const formats = ['chunks', 'data-stream'] as const
const subAgentForms: readonly SubAgentForm[] = ['hidden', 'separate', 'inline']
const approvalChoices = ['end', 'wait'] as const

/** The form in which a client wants a run: chunks, with one of three ways to show sub-agents, or data stream lines. */
type WireForm = SubAgentForm | 'data-stream'

/** Everything that a client can choose about a stream. */
export interface StreamForm {
  readonly form: WireForm
  readonly approvals: AtWaits
  /** The client's AI SDK, when that is an older one. */
  readonly sdk: OlderSdk | undefined
  /** The client has not said which AI SDK it has. */
  readonly hasVersionNote: boolean
}

/** Reads what a client chooses. Call it before a run is begun, because it throws a problem for a form that does not exist. */
export function streamFormFrom(context: HttpContext): StreamForm {
  const sdk = olderSdkFrom(context)
  const hasVersionNote = saidSdk(context) === undefined
  return { form: wireFormFrom(context), approvals: atApprovalsFrom(context, sdk), sdk, hasVersionNote }
}

/** Reads `?format=` and `?subAgents=`. */
function wireFormFrom(context: HttpContext): WireForm {
  const format = choice(context, 'format', formats) ?? 'chunks'
  const subAgents = subAgentFormFrom(context)
  if (format === 'chunks') return subAgents ?? 'hidden'
  if (subAgents !== undefined && subAgents !== 'hidden') {
    throw new ProblemError(
      400,
      'unsupported-form',
      'The data stream has room for one message only: leave "subAgents" out, or ask for "format=chunks".',
    )
  }
  return 'data-stream'
}

/** Reads `?subAgents=` of a request for a stream of chunks, or for messages. Both have the same default: `hidden`. */
export function subAgentFormFrom(context: HttpContext): SubAgentForm | undefined {
  return choice(context, 'subAgents', subAgentForms)
}

/** Reads `?subAgents=` of a request for AG-UI events. AG-UI has events of its own for sub-agents. */
export function agUiSubAgentsFrom(context: HttpContext): AgUiSubAgents {
  return subAgentFormFrom(context) ?? 'separate'
}

/**
 * Reads `?approvals=`. A stock client can send a decision only after its stream has ended, so by default the stream ends.
 * AI SDK 5 can send the outputs of calls, but no decisions, so there it stays open for those by default.
 */
export function atApprovalsFrom(context: HttpContext, sdk?: OlderSdk): AtWaits {
  return choice(context, 'approvals', approvalChoices) ?? (sdk === 5 ? 'end-for-outputs' : 'end')
}

/**
 * Reads the client's version of the AI SDK from `?sdk=`, the header `x-ai-sdk`, or the user agent: some versions of AI SDK
 * 6 put their name there. Returns `undefined` for versions that can read every chunk.
 */
export function olderSdkFrom(context: HttpContext): OlderSdk | undefined {
  const sdk = saidSdk(context)
  return sdk === '5' ? 5 : sdk === '6' ? 6 : undefined
}

function saidSdk(context: HttpContext): string | undefined {
  const [, major] = /\bai-sdk\/(\d+)\./.exec(context.req.header('user-agent') ?? '') ?? []
  const given = parameter(context, 'sdk') ?? context.req.header('x-ai-sdk')
  return given === undefined ? major : assertOneOf('sdk', given, ['5', '6', '7'])
}

/** The position that a client sent. */
export interface AskedPosition {
  readonly position: string
  /** It is the id of the last event that the client has seen. Otherwise it is where the client wants to begin. */
  readonly isLastSeen: boolean
  /** How many SSE events of the entry after the position the client has. */
  readonly events: number
}

/** Reads `Last-Event-ID` and `?after=`. Throws a problem for the data stream, which has no ids. */
export function askedPosition(context: HttpContext, { form, sdk }: StreamForm): AskedPosition | undefined {
  // In these forms one entry may become several SSE events, each with an id.
  const hasCountedIds = form === 'inline' || sdk !== undefined
  const lastSeen = context.req.header('last-event-id')
  const asked = lastSeen ?? context.req.query('after')
  if (asked === undefined) return undefined
  const isLastSeen = lastSeen !== undefined
  if (form !== 'data-stream') {
    const id = hasCountedIds ? parseEventId(asked) : { position: asked, events: 0 }
    return { ...id, isLastSeen }
  }
  throw new ProblemError(
    400,
    'unsupported-position',
    'A data stream can be read from its beginning only. Leave "after" and "Last-Event-ID" out.',
  )
}

/** Reads a parameter that has a fixed set of values. Returns `undefined` when it is missing, throws a problem for other values. */
export function choice<Choice extends string>(
  context: HttpContext,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const given = parameter(context, name)
  return given === undefined ? undefined : assertOneOf(name, given, choices)
}

function assertOneOf<Choice extends string>(name: string, given: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find(each => each === given)
  if (chosen !== undefined) return chosen
  throw new ProblemError(
    400,
    'unknown-form',
    `There is no "${name}=${given.slice(0, 100)}". Known: ${choices.join(', ')}.`,
  )
}

/**
 * Reads a parameter of a request. Some clients append the chat to the address that they were given, even if it has
 * parameters already: AI SDK 4 appends `?chatId=ID`, early versions of 5 and 6 append `/ID/stream`, and
 * `WorkflowChatTransport` appends `/ID/stream?startIndex=N`.
 */
export function parameter(context: HttpContext, name: string): string | undefined {
  const { search } = new URL(context.req.url)
  const mended = search.replace(/\/([^/?&]*)\/stream(?=$|\?)/, '&chatId=$1').replaceAll('?', '&')
  return new URLSearchParams(mended).get(name) ?? undefined
}
