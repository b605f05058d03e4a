// The entry point `@throughline/client/events`: the event API, which asks an agent one question at a time.

/** @public */
export { createSession } from './events/create-session.ts'
/** @public */
export { decideApproval } from './events/decide-approval.ts'
/** @public */
export { type GivenToolOutput, giveOutput } from './events/give-output.ts'
/** @public */
export {
  type DecideRequest,
  type GiveRequest,
  type QueryAgentOptions,
  type QueryCallbacks,
  queryAgent,
} from './events/query-agent.ts'
/** @public */
export { QueryMeter, type QueryStatistics } from './events/query-meter.ts'
/** @public */
export { stopSession } from './events/stop-session.ts'
