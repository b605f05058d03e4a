// The entry point `@throughline/agents/pi`: agents that were made with pi.

/** @public */
export { type FromPiOptions, fromPi, type MakePiAgent, type NeedsApproval } from './pi/from-pi.ts'
/** @public */
export type { PiAgent } from './pi/pi-agent.ts'
