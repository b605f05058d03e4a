import type { ChatOptions } from '@throughline/client'
import {
  type AgentChat,
  type AgentStream,
  type ChatInterface,
  type ChatInterfaceProps,
  type ChatWords,
  chatInterfaceCss,
  chineseWords,
  englishWords,
  useAgentChat,
  useAgentStream,
} from '@throughline/client/vue'
import type { QueryEvent } from '@throughline/protocol'
import { expectTypeOf } from 'vitest'
import type { ComputedRef } from 'vue'

expectTypeOf<InstanceType<typeof ChatInterface>['$props']>().toExtend<ChatInterfaceProps>()
expectTypeOf<keyof ChatInterfaceProps>().toEqualTypeOf<'options' | 'words'>()
expectTypeOf(chatInterfaceCss).toExtend<string>()
expectTypeOf<keyof ChatWords>().toEqualTypeOf<
  | 'approve'
  | 'busy'
  | 'cancel'
  | 'cutShort'
  | 'deny'
  | 'empty'
  | 'error'
  | 'generating'
  | 'placeholder'
  | 'screenshot'
  | 'send'
  | 'stopWaiting'
  | 'toolCall'
  | 'toolResult'
  | 'toolStatus'
  | 'usage'
  | 'waiting'
>()
expectTypeOf(chineseWords).toEqualTypeOf<ChatWords>()
expectTypeOf(englishWords).toEqualTypeOf<ChatWords>()
expectTypeOf<keyof AgentChat>().toEqualTypeOf<
  | 'addToolOutput'
  | 'approve'
  | 'chat'
  | 'deleteMessage'
  | 'discard'
  | 'edit'
  | 'moveMessage'
  | 'regenerate'
  | 'resume'
  | 'retry'
  | 'send'
  | 'showVersion'
  | 'stop'
  | 'updateMetadata'
>()
expectTypeOf(useAgentChat).toEqualTypeOf<(options: ChatOptions) => AgentChat>()
expectTypeOf<keyof AgentStream>().toEqualTypeOf<
  | 'abort'
  | 'approvals'
  | 'approve'
  | 'cutShort'
  | 'error'
  | 'events'
  | 'isStreaming'
  | 'progress'
  | 'response'
  | 'sessionId'
  | 'statusText'
  | 'stop'
  | 'streamQuery'
  | 'toolCalls'
  | 'tools'
  | 'usage'
>()
expectTypeOf<AgentStream['events']>().toEqualTypeOf<ComputedRef<readonly QueryEvent[]>>()
expectTypeOf(useAgentStream).toBeCallableWith(() => ({}))
expectTypeOf(useAgentStream).returns.toEqualTypeOf<AgentStream>()
