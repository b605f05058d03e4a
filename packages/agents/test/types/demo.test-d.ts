import type { SubAgent, ToolFactory } from '@throughline/agents'
import {
  type createDemoModel,
  demoPageLine,
  demoSubAgents,
  demoTools,
  type startDemoPage,
} from '@throughline/agents/demo'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof NonNullable<Parameters<typeof createDemoModel>[0]>>().toEqualTypeOf<
  'seed' | 'wait' | 'wordsPerSecond'
>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof createDemoModel>>>>().toEqualTypeOf<
  'doGenerate' | 'doStream' | 'modelId' | 'provider' | 'specificationVersion' | 'supportedUrls'
>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof startDemoPage>>>>().toEqualTypeOf<
  'close' | 'host' | 'url'
>()
expectTypeOf(demoPageLine).toEqualTypeOf<(url: string) => string>()
expectTypeOf(demoSubAgents).toEqualTypeOf<() => readonly SubAgent[]>()
expectTypeOf(demoTools).toEqualTypeOf<() => readonly ToolFactory[]>()
