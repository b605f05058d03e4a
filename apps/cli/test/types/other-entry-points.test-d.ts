import { expectTypeOf } from 'vitest'

// Each passes on what an entry point of another package has, or some of it.
expectTypeOf<typeof import('@throughline/channels')>().toExtend<typeof import('throughline/channels')>()
expectTypeOf<keyof typeof import('throughline/channels')>().toEqualTypeOf<
  'BlockChunker' | 'ChannelError' | 'chunkLimits' | 'createBlockReplyPipeline' | 'joinBlocks'
>()
expectTypeOf<typeof import('throughline/claude-agent-sdk')>().toEqualTypeOf<
  typeof import('@throughline/agents/claude-agent-sdk')
>()
expectTypeOf<typeof import('@throughline/agents/demo')>().toExtend<typeof import('throughline/demo')>()
expectTypeOf<keyof typeof import('throughline/demo')>().toEqualTypeOf<'createDemoModel'>()
expectTypeOf<typeof import('throughline/langgraph')>().toEqualTypeOf<
  typeof import('@throughline/agents/langgraph')
>()
expectTypeOf<typeof import('throughline/mastra')>().toEqualTypeOf<
  typeof import('@throughline/agents/mastra')
>()
expectTypeOf<typeof import('throughline/openai-agents')>().toEqualTypeOf<
  typeof import('@throughline/agents/openai-agents')
>()
expectTypeOf<typeof import('throughline/pi')>().toEqualTypeOf<typeof import('@throughline/agents/pi')>()
