import type { KeyedAgent } from '@throughline/agents'
import {
  fromLangGraph,
  type LangGraph,
  type LangGraphConfig,
  type LangGraphOptions,
} from '@throughline/agents/langgraph'
import { expectTypeOf } from 'vitest'

expectTypeOf(fromLangGraph).toEqualTypeOf<(graph: LangGraph, options?: LangGraphOptions) => KeyedAgent>()
expectTypeOf<keyof LangGraph>().toEqualTypeOf<'checkpointer' | 'getState' | 'graph' | 'stream'>()
expectTypeOf<keyof LangGraphConfig>().toEqualTypeOf<string | number>()
expectTypeOf<keyof LangGraphOptions>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'config'
  | 'continues'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'memory'
  | 'model'
  | 'name'
  | 'optionalToolKeys'
  | 'toolKeys'
>()
