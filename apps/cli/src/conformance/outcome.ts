/** What a check has found out. */
export type Outcome =
  | { readonly type: 'passed'; readonly saw: string }
  | ({ readonly type: 'failed' } & Failure)
  /** The check could not be made. It counts as neither passed nor failed. */
  | { readonly type: 'skipped'; readonly reason: string }

/** What went wrong, in words for the operator. */
export interface Failure {
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
