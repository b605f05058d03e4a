// The door for tests: what the tests, the benches and the torture of other packages use, beside the public doors.
// It is not published.

export { sseBlocksIn } from './history/sse-recorder.ts'
export { groupBy } from './values/group-by.ts'
export type { QueryEventType } from './wire/query-event.ts'
