import type { ToolFactory } from '@throughline/agents'
import { type BrowserSubAgent, browserTools } from '@throughline/agents/browser'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof NonNullable<ConstructorParameters<typeof BrowserSubAgent>[0]>>().toEqualTypeOf<'model'>()
expectTypeOf<keyof BrowserSubAgent>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'buildAgent'
  | 'continues'
  | 'definition'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'getTools'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'optionalToolKeys'
  | 'run'
  | 'systemPrompt'
  | 'toolKeys'
>()
expectTypeOf<keyof NonNullable<Parameters<typeof browserTools>[0]>>().toEqualTypeOf<
  | 'actionTimeoutMs'
  | 'allowHosts'
  | 'ca'
  | 'connect'
  | 'env'
  | 'launch'
  | 'maxBytes'
  | 'maxChars'
  | 'ownAddresses'
  | 'resolve'
  | 'warn'
>()
expectTypeOf(browserTools).returns.toEqualTypeOf<readonly ToolFactory[]>()
