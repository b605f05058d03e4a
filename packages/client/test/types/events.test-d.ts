import type { ToolOutput } from '@throughline/client'
import {
  createSession,
  type DecideRequest,
  decideApproval,
  type GivenToolOutput,
  type GiveRequest,
  giveOutput,
  type QueryAgentOptions,
  type QueryCallbacks,
  QueryMeter,
  type QueryStatistics,
  queryAgent,
  stopSession,
} from '@throughline/client/events'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof NonNullable<Parameters<typeof createSession>[0]>>().toEqualTypeOf<
  'backoff' | 'fetch' | 'headers' | 'idleMs' | 'maxRetries' | 'signal' | 'url'
>()
expectTypeOf(createSession).returns.toEqualTypeOf<Promise<string>>()
expectTypeOf<keyof NonNullable<Parameters<typeof decideApproval>[0]>>().toEqualTypeOf<
  'approvalId' | 'approved' | 'reason' | 'sessionId'
>()
expectTypeOf<keyof NonNullable<Parameters<typeof decideApproval>[1]>>().toEqualTypeOf<
  'backoff' | 'fetch' | 'headers' | 'idleMs' | 'maxRetries' | 'signal' | 'url'
>()
expectTypeOf(decideApproval).returns.toEqualTypeOf<Promise<void>>()
expectTypeOf<keyof GivenToolOutput>().toEqualTypeOf<'output' | 'requestId' | 'sessionId'>()
expectTypeOf(giveOutput).parameter(0).toEqualTypeOf<GivenToolOutput>()
expectTypeOf<keyof NonNullable<Parameters<typeof giveOutput>[1]>>().toEqualTypeOf<
  'backoff' | 'fetch' | 'headers' | 'idleMs' | 'maxRetries' | 'signal' | 'url'
>()
expectTypeOf(giveOutput).returns.toEqualTypeOf<Promise<void>>()
expectTypeOf<DecideRequest>().toEqualTypeOf<(approved: boolean, reason?: string) => Promise<void>>()
expectTypeOf<GiveRequest>().toEqualTypeOf<(output: ToolOutput) => Promise<void>>()
expectTypeOf<keyof QueryAgentOptions>().toEqualTypeOf<
  | 'agent'
  | 'backoff'
  | 'fetch'
  | 'headers'
  | 'idleMs'
  | 'level'
  | 'maxRetries'
  | 'messageId'
  | 'meter'
  | 'onBusy'
  | 'onRaw'
  | 'onSession'
  | 'pageId'
  | 'signal'
  | 'url'
  | 'workspaceId'
>()
expectTypeOf<keyof QueryCallbacks>().toEqualTypeOf<
  | 'onApprovalRequest'
  | 'onApprovalResponse'
  | 'onBadEvent'
  | 'onError'
  | 'onFinal'
  | 'onOutputRequest'
  | 'onStepComplete'
  | 'onStepStart'
  | 'onText'
  | 'onTextDelta'
  | 'onToolCall'
  | 'onToolResult'
  | 'onUsage'
>()
expectTypeOf(queryAgent).toEqualTypeOf<
  (
    message: string,
    sessionId: string | null | undefined,
    callbacks?: QueryCallbacks,
    options?: QueryAgentOptions,
  ) => Promise<string>
>()
expectTypeOf(QueryMeter).toBeConstructibleWith()
expectTypeOf(QueryMeter).toBeConstructibleWith({ now: () => 0 })
expectTypeOf<keyof QueryMeter>().toEqualTypeOf<'begin' | 'read' | 'take'>()
expectTypeOf<keyof QueryStatistics>().toEqualTypeOf<'counts' | 'finalMs' | 'firstTokenMs' | 'total'>()
expectTypeOf(stopSession).parameter(0).toEqualTypeOf<string>()
expectTypeOf<keyof NonNullable<Parameters<typeof stopSession>[1]>>().toEqualTypeOf<
  'backoff' | 'fetch' | 'headers' | 'idleMs' | 'maxRetries' | 'signal' | 'url'
>()
expectTypeOf(stopSession).returns.toEqualTypeOf<Promise<void>>()
