import type { KeyedAgent } from '@throughline/agents'
import {
  type FromOpenAIAgentsOptions,
  fromOpenAIAgents,
  type OpenAIAgent,
  type OpenAIRunner,
} from '@throughline/agents/openai-agents'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof FromOpenAIAgentsOptions>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'context'
  | 'continues'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'name'
  | 'optionalToolKeys'
  | 'runner'
  | 'toolKeys'
  | 'usageModel'
>()
expectTypeOf(fromOpenAIAgents).toEqualTypeOf<
  (agent: OpenAIAgent, options: FromOpenAIAgentsOptions) => KeyedAgent
>()
expectTypeOf<keyof OpenAIAgent>().toEqualTypeOf<'model' | 'name'>()
expectTypeOf<keyof OpenAIRunner>().toEqualTypeOf<'run'>()
