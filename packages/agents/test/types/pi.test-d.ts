import type { AgentRequest, ApprovalQuestion, KeyedAgent } from '@throughline/agents'
import {
  type FromPiOptions,
  fromPi,
  type MakePiAgent,
  type NeedsApproval,
  type PiAgent,
} from '@throughline/agents/pi'
import { expectTypeOf } from 'vitest'

expectTypeOf<NeedsApproval>().toEqualTypeOf<(call: ApprovalQuestion) => boolean>()
expectTypeOf<keyof FromPiOptions>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'name'
  | 'needsApproval'
  | 'optionalToolKeys'
  | 'toolKeys'
>()
expectTypeOf(fromPi).toEqualTypeOf<(makeAgent: MakePiAgent, options?: FromPiOptions) => KeyedAgent>()
expectTypeOf<MakePiAgent>().toEqualTypeOf<(request: AgentRequest) => PiAgent | Promise<PiAgent>>()
expectTypeOf<keyof PiAgent>().toEqualTypeOf<
  'abort' | 'beforeToolCall' | 'continue' | 'finishTurn' | 'state' | 'subscribe'
>()
