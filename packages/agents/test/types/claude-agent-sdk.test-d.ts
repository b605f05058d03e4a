import type { KeyedAgent } from '@throughline/agents'
import {
  type ClaudeMessage,
  type ClaudeQuery,
  type FromClaudeAgentSdkOptions,
  fromClaudeAgentSdk,
} from '@throughline/agents/claude-agent-sdk'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof ClaudeMessage>().toEqualTypeOf<'parent_tool_use_id' | 'type'>()
interface Options {
  readonly model: string
}

expectTypeOf<ClaudeQuery<Options>>().toEqualTypeOf<
  (call: { prompt: AsyncIterable<never>; options?: Options }) => AsyncIterable<ClaudeMessage>
>()
expectTypeOf<keyof FromClaudeAgentSdkOptions<Options>>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'name'
  | 'optionalToolKeys'
  | 'options'
  | 'toolKeys'
>()
expectTypeOf(fromClaudeAgentSdk<Options>).toEqualTypeOf<
  (query: ClaudeQuery<Options>, options?: FromClaudeAgentSdkOptions<Options>) => KeyedAgent
>()
