// The entry point `throughline/pi`: agents that were made with pi.

/** @public */
export {
  type FromPiOptions,
  fromPi,
  type MakePiAgent,
  type NeedsApproval,
  type PiAgent,
} from '@throughline/agents/pi'
