// The entry point `@throughline/client/events`: the event API, which asks an agent one question at a time.

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
export {
  createSession,
  decideApproval,
  type GivenToolOutput,
  giveOutput,
  stopSession,
} from './events/session-requests.ts'
