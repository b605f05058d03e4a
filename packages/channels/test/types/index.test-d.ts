import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type Block,
  BlockChunker,
  type BlockChunkerOptions,
  type BlockReplyOptions,
  type BlockReplyPipeline,
  type BreakPreference,
  blockLimits,
  type Channel,
  ChannelError,
  type ChunkLimits,
  chunkLimits,
  createBlockReplyPipeline,
  type Decide,
  type DecisionResult,
  type Delivery,
  type DeliveryOptions,
  type DrainOptions,
  deliverRun,
  type HookRequest,
  type HookResponse,
  type Inbound,
  type InboundDecision,
  type Inbox,
  joinBlocks,
  type Medium,
  type OutgoingMessage,
  type ReplyPayload,
  type SendRequest,
  sign,
  type TelegramOptions,
  type ToolApproval,
  telegramChannel,
  type WebhookOptions,
  webhookChannel,
} from '@throughline/channels'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof BlockReplyOptions>().toEqualTypeOf<
  | 'channel'
  | 'idleMs'
  | 'maxChars'
  | 'minChars'
  | 'readFile'
  | 'replyTo'
  | 'report'
  | 'runId'
  | 'signal'
  | 'startTimer'
  | 'target'
  | 'timeoutMs'
>()
expectTypeOf<keyof BlockReplyPipeline>().toEqualTypeOf<
  'didStream' | 'enqueue' | 'flush' | 'hasBuffered' | 'hasSentPayload' | 'isAborted' | 'stop' | 'unsent'
>()
expectTypeOf(createBlockReplyPipeline).toEqualTypeOf<(options: BlockReplyOptions) => BlockReplyPipeline>()
expectTypeOf<keyof ReplyPayload>().toEqualTypeOf<'before' | 'closing' | 'media' | 'reopening' | 'text'>()
expectTypeOf<keyof ApprovalOutcome>().toEqualTypeOf<'approved' | 'reason'>()
expectTypeOf<keyof ApprovalRequest>().toEqualTypeOf<
  'approval' | 'idempotencyKey' | 'receipt' | 'replyTo' | 'signal' | 'target'
>()
expectTypeOf<Channel['send']>().parameter(0).toEqualTypeOf<SendRequest>()
expectTypeOf<keyof Channel>().toEqualTypeOf<
  | 'approvers'
  | 'edit'
  | 'hook'
  | 'kind'
  | 'maxChars'
  | 'poll'
  | 'refuseHook'
  | 'send'
  | 'setClock'
  | 'showApproval'
  | 'typing'
>()
expectTypeOf(ChannelError).toBeConstructibleWith('refused', 'Why.')
expectTypeOf(ChannelError).toBeConstructibleWith('unavailable', 'Why.', 1_000)
expectTypeOf<ChannelError>().toExtend<Error>()
expectTypeOf<ChannelError['code']>().toEqualTypeOf<'refused' | 'unavailable'>()
expectTypeOf<keyof ChannelError>().toEqualTypeOf<
  'cause' | 'code' | 'message' | 'name' | 'retryAfterMs' | 'stack'
>()
expectTypeOf<Decide>().toEqualTypeOf<(decision: InboundDecision) => Promise<DecisionResult>>()
expectTypeOf<DecisionResult>().toEqualTypeOf<'decided' | 'not-waiting' | 'not-found' | 'not-allowed'>()
expectTypeOf<keyof HookRequest>().toEqualTypeOf<'body' | 'headers'>()
expectTypeOf<keyof HookResponse>().toEqualTypeOf<'body' | 'status'>()
expectTypeOf<keyof Inbound>().toEqualTypeOf<
  'conversation' | 'id' | 'senderId' | 'senderName' | 'target' | 'text'
>()
expectTypeOf<keyof InboundDecision>().toEqualTypeOf<
  'approvalId' | 'approved' | 'conversation' | 'reason' | 'senderId'
>()
expectTypeOf<Inbox>().toEqualTypeOf<(inbound: Inbound) => Promise<void>>()
expectTypeOf<keyof Medium>().toEqualTypeOf<'bytes' | 'fileName' | 'mediaType'>()
expectTypeOf<keyof OutgoingMessage>().toEqualTypeOf<'medium' | 'replyTo' | 'text'>()
expectTypeOf<keyof SendRequest>().toEqualTypeOf<'idempotencyKey' | 'message' | 'signal' | 'target'>()
expectTypeOf<keyof ToolApproval>().toEqualTypeOf<
  'agent' | 'id' | 'input' | 'isAskedHere' | 'isInputCut' | 'outcome' | 'question' | 'toolName'
>()
expectTypeOf(BlockChunker).constructorParameters.toEqualTypeOf<[options: BlockChunkerOptions]>()
expectTypeOf<keyof BlockChunker>().toEqualTypeOf<
  'append' | 'bufferedText' | 'drain' | 'goOnAfter' | 'hasBuffered' | 'peek' | 'reset'
>()
expectTypeOf<keyof DrainOptions>().toEqualTypeOf<'emit' | 'force'>()
expectTypeOf<keyof Block>().toEqualTypeOf<'before' | 'closing' | 'reopening' | 'text'>()
expectTypeOf(joinBlocks).toEqualTypeOf<(blocks: readonly Block[]) => string>()
expectTypeOf<keyof BlockChunkerOptions>().toEqualTypeOf<'maxChars' | 'minChars' | 'preference'>()
expectTypeOf<BreakPreference>().toEqualTypeOf<'paragraph' | 'newline' | 'sentence' | 'limit'>()
expectTypeOf<keyof ChunkLimits>().toEqualTypeOf<'maxChars' | 'minChars'>()
expectTypeOf(chunkLimits).toEqualTypeOf<
  (channelMaxChars: number, wanted?: Partial<ChunkLimits>) => ChunkLimits
>()
expectTypeOf(deliverRun).toEqualTypeOf<(delivery: Delivery) => Promise<void>>()
expectTypeOf(blockLimits).toEqualTypeOf<
  (channel: Pick<Channel, 'maxChars'>, options?: DeliveryOptions) => BlockChunkerOptions
>()
expectTypeOf<keyof Delivery>().toEqualTypeOf<
  | 'channel'
  | 'debug'
  | 'entries'
  | 'inboundId'
  | 'now'
  | 'options'
  | 'outbox'
  | 'readFile'
  | 'report'
  | 'signal'
  | 'startTimer'
  | 'target'
>()
expectTypeOf<keyof DeliveryOptions>().toEqualTypeOf<
  | 'giveUpMs'
  | 'idleMs'
  | 'isWithSubAgents'
  | 'isWithTools'
  | 'maxChars'
  | 'minChars'
  | 'onEvent'
  | 'pauseMs'
  | 'preference'
  | 'streaming'
  | 'timeoutMs'
>()
expectTypeOf<keyof TelegramOptions>().toEqualTypeOf<
  | 'allowUsers'
  | 'apiRoot'
  | 'approvers'
  | 'format'
  | 'groups'
  | 'language'
  | 'mode'
  | 'onProblem'
  | 'replyInThread'
  | 'textOnlyNotice'
  | 'token'
>()
expectTypeOf(telegramChannel).toEqualTypeOf<(options: TelegramOptions) => Channel>()
expectTypeOf(sign).toEqualTypeOf<
  (body: Uint8Array, options1: { readonly secret: string; readonly now: Date }) => string
>()
expectTypeOf<keyof WebhookOptions>().toEqualTypeOf<
  'allowSenders' | 'approvers' | 'fetch' | 'maxChars' | 'now' | 'secret' | 'url'
>()
expectTypeOf(webhookChannel).toEqualTypeOf<(options: WebhookOptions) => Channel>()
