import { ProblemError } from '@throughline/protocol/problem'
import type { AgUiSubAgents } from '../stream/ag-ui-state.ts'
import { parseInlineId } from '../stream/inline-form.ts'
import type { HttpContext } from './context.ts'

const formats = ['chunks', 'data-stream'] as const
const subAgentForms = ['envelope', 'inline', 'hidden'] as const
const agUiSubAgentForms = ['separate', 'inline', 'hidden'] as const
const approvalForms = ['end', 'wait'] as const

/** The form in which a client wants a run: chunks, by what becomes of sub-agents in them, or data stream lines. */
export type WireForm = (typeof subAgentForms)[number] | 'data-stream'

/** Reads `?format=` and `?subAgents=`. Before anything is begun: a form that is not there must not cost a run. */
export function wireFormFrom(context: HttpContext): WireForm {
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

/** Reads `?approvals=`. A stock client can answer only after its stream has ended, so that is what happens by default. */
export function approvalFormFrom(context: HttpContext): ApprovalForm {
  return choice(context, 'approvals', approvalForms) ?? 'end'
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
export function askedPosition(context: HttpContext, form: WireForm): AskedPosition | undefined {
  const lastSeen = context.req.header('last-event-id')
  const asked = lastSeen ?? context.req.query('after')
  if (asked === undefined) return undefined
  const isLastSeen = lastSeen !== undefined
  if (form === 'inline') return { ...parseInlineId(asked), isLastSeen }
  if (form !== 'data-stream') return { position: asked, frames: 0, isLastSeen }
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
  if (given === undefined) return undefined
  const chosen = choices.find(each => each === given)
  if (chosen !== undefined) return chosen
  throw new ProblemError(
    400,
    'unknown-form',
    `There is no "${name}=${given.slice(0, 100)}". Known: ${choices.join(', ')}.`,
  )
}

/** A parameter of a request. AI SDK 4 adds `?chatId=` to whatever address it has, also to one with parameters. */
export function parameter(context: HttpContext, name: string): string | undefined {
  const { search } = new URL(context.req.url)
  return new URLSearchParams(search.replaceAll('?', '&')).get(name) ?? undefined
}
