import { ProblemError } from '@throughline/protocol/problem'
import type { AgUiSubAgents } from '../stream/ag-ui/ag-ui-state.ts'
import type { OlderSdk } from '../stream/sdk/sdk-fields.ts'
import { parseFrameId } from '../stream/sse-events.ts'
import type { HttpContext } from './context.ts'

const formats = ['chunks', 'data-stream'] as const
const subAgentForms = ['envelope', 'inline', 'hidden'] as const
const agUiSubAgentForms = ['separate', 'inline', 'hidden'] as const
const approvalForms = ['end', 'wait'] as const

/** The form in which a client wants a run: chunks, by what becomes of sub-agents in them, or data stream lines. */
type WireForm = (typeof subAgentForms)[number] | 'data-stream'

/** All that a client can choose about a stream. */
export interface StreamForm {
  readonly form: WireForm
  readonly approvals: ApprovalForm
  /** The client's AI SDK, when that is an older one. */
  readonly sdk: OlderSdk | undefined
}

/** Reads what a client chooses. Before anything is begun: a form that is not there must not cost a run. */
export function streamFormFrom(context: HttpContext): StreamForm {
  const sdk = olderSdkFrom(context)
  return { form: wireFormFrom(context), approvals: approvalFormFrom(context, sdk), sdk }
}

/** Reads `?format=` and `?subAgents=`. */
function wireFormFrom(context: HttpContext): WireForm {
  const format = choice(context, 'format', formats) ?? 'chunks'
  const subAgents = choice(context, 'subAgents', subAgentForms)
  if (format === 'chunks') return subAgents ?? 'envelope'
  if (subAgents !== undefined && subAgents !== 'hidden') {
    throw new ProblemError(
      400,
      'unsupported-form',
      'The data stream has room for one message only: leave "subAgents" out, or ask for "format=chunks".',
    )
  }
  return 'data-stream'
}

/** Reads `?subAgents=` of a request for AG-UI events, which have room for sub-agents of their own. */
export function agUiSubAgentsFrom(context: HttpContext): AgUiSubAgents {
  return choice(context, 'subAgents', agUiSubAgentForms) ?? 'separate'
}

/** What becomes of a stream while its run waits for nothing but approvals: it ends, or it waits too. */
export type ApprovalForm = (typeof approvalForms)[number]

/**
 * Reads `?approvals=`. A stock client can answer only after its stream has ended, so that is what happens by default. AI
 * SDK 5 cannot answer at all.
 */
export function approvalFormFrom(context: HttpContext, sdk?: OlderSdk): ApprovalForm {
  return choice(context, 'approvals', approvalForms) ?? (sdk === 5 ? 'wait' : 'end')
}

/**
 * The AI SDK that a client has, when that is one which cannot read everything: `?sdk=5`, the header `x-ai-sdk`, or what
 * its requests say of themselves. Some versions of AI SDK 6 send their name as the user agent, where they may.
 */
export function olderSdkFrom(context: HttpContext): OlderSdk | undefined {
  const [, major] = /\bai-sdk\/(\d+)\./.exec(context.req.header('user-agent') ?? '') ?? []
  const given = parameter(context, 'sdk') ?? context.req.header('x-ai-sdk')
  if (given !== undefined) assertOneOf('sdk', given, ['5', '6', '7'])
  const sdk = given ?? major
  return sdk === '5' ? 5 : sdk === '6' ? 6 : undefined
}

/** Where a client wants to go on. */
export interface AskedPosition {
  readonly position: string
  /** It is the id of the last event that the client has seen. Otherwise it is a place where it wants to begin. */
  readonly isLastSeen: boolean
  /** Frames that the client has of the entry after the position. */
  readonly frames: number
}

/** Reads `Last-Event-ID` and `?after=`. The data stream has no ids, so nobody can know where they are in it. */
export function askedPosition(context: HttpContext, { form, sdk }: StreamForm): AskedPosition | undefined {
  const hasFrameIds = form === 'inline' || sdk !== undefined
  const lastSeen = context.req.header('last-event-id')
  const asked = lastSeen ?? context.req.query('after')
  if (asked === undefined) return undefined
  const isLastSeen = lastSeen !== undefined
  if (form !== 'data-stream') {
    const id = hasFrameIds ? parseFrameId(asked) : { position: asked, frames: 0 }
    return { ...id, isLastSeen }
  }
  throw new ProblemError(
    400,
    'unsupported-position',
    'A data stream can be read from its beginning only. Leave "after" and "Last-Event-ID" out.',
  )
}

/** One of the values that a parameter of a request can have; `undefined` when it is not there. */
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
 * A parameter of a request. There are clients that add the chat to whatever address they were given, also to one with
 * parameters: AI SDK 4 adds `?chatId=ID`, early versions of 5 and 6 add `/ID/stream`.
 */
export function parameter(context: HttpContext, name: string): string | undefined {
  const { search } = new URL(context.req.url)
  const mended = search.replace(/\/([^/?&]*)\/stream$/, '&chatId=$1').replaceAll('?', '&')
  return new URLSearchParams(mended).get(name) ?? undefined
}
