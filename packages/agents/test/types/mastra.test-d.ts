import type { KeyedAgent } from '@throughline/agents'
import {
  type FromMastraOptions,
  fromMastra,
  type MastraAgent,
  type MastraThread,
  type RememberedChat,
  type ThreadOf,
} from '@throughline/agents/mastra'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof FromMastraOptions>().toEqualTypeOf<
  | 'allowedSubAgents'
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
expectTypeOf(fromMastra).toEqualTypeOf<(agent: MastraAgent, options?: FromMastraOptions) => KeyedAgent>()
expectTypeOf<keyof MastraAgent>().toEqualTypeOf<
  | 'approveToolCall'
  | 'declineToolCall'
  | 'getDescription'
  | 'getMastraInstance'
  | 'hasOwnMemory'
  | 'name'
  | 'stream'
>()
expectTypeOf<keyof MastraThread>().toEqualTypeOf<'resource' | 'thread'>()
expectTypeOf<keyof RememberedChat>().toEqualTypeOf<'chatId' | 'ownerId'>()
expectTypeOf<ThreadOf>().toEqualTypeOf<(chat: RememberedChat) => MastraThread>()
