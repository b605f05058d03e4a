import type { Evidence } from './evidence.ts'
import type { Session } from './session.ts'

/** One question about a server, and how to find out. */
export interface Check {
  /** `group/name`. `--only` takes the whole name or the group. */
  readonly name: string
  /** What holds when the check passes, as a sentence without its full stop. */
  readonly title: string
  /** The names of checks that must have passed. Otherwise this one is skipped. */
  readonly needs?: readonly string[]
  /** Whether the check sends a question to an agent. An agent may call its model several times for one question. */
  readonly asksAgent?: boolean
  /** Finds out. May throw `NoResponse` or `UnexpectedResponse`, which counts as failed. */
  run(session: Session, evidence: Evidence): Promise<Outcome>
}

/** A check with what it has found out. */
export interface Result {
  readonly check: Check
  readonly outcome: Outcome
}

/** What a check has found out. */
export type Outcome =
  | { readonly type: 'passed'; readonly saw: string }
  | ({ readonly type: 'failed' } & Failure)
  /** The check could not be made. It counts as neither passed nor failed. */
  | { readonly type: 'skipped'; readonly reason: string }

/** What went wrong, in words for the operator. */
interface Failure {
  readonly expected: string
  readonly came: string
  /** What to do about it. */
  readonly advice: string
}

export function passed(saw: string): Outcome {
  return { type: 'passed', saw }
}

export function failed(failure: Failure): Outcome {
  return { type: 'failed', ...failure }
}

export function skipped(reason: string): Outcome {
  return { type: 'skipped', reason }
}
