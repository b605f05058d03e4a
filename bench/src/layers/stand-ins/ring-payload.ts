import type { recordsOf as recordsOfCommitted } from '../../../../packages/store/src/postgres/log/ring-payload.ts'

export * from '../../../../packages/store/src/postgres/log/ring-payload.ts'

/** Announces only which log has changed. */
export const recordsOf: typeof recordsOfCommitted = ({ log }, hashOf) => [hashOf(log)]
