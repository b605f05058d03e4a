// The entry point `@throughline/channels`.

/** @public */
export {
  type BlockReplyOptions,
  type BlockReplyPipeline,
  createBlockReplyPipeline,
  type ReplyPayload,
} from './block-reply-pipeline.ts'
/** @public */
export {
  type ApprovalOutcome,
  type ApprovalRequest,
  type Channel,
  ChannelError,
  type Decide,
  type DecisionResult,
  type HookRequest,
  type HookResponse,
  type Inbound,
  type InboundDecision,
  type Inbox,
  type Medium,
  type OutgoingMessage,
  type SendRequest,
  type ToolApproval,
} from './channel.ts'
/** @public */
export { BlockChunker, type DrainOptions } from './cutting/block-chunker.ts'
/** @public */
export { type Block, joinBlocks } from './cutting/blocks.ts'
/** @public */
export {
  type BlockChunkerOptions,
  type BreakPreference,
  type ChunkLimits,
  chunkLimits,
} from './cutting/chunk-limits.ts'
/** @public */
export { deliverRun } from './deliver-run.ts'
/** @public */
export { blockLimits, type Delivery, type DeliveryOptions } from './delivery.ts'
/** @public */
export { type TelegramOptions, telegramChannel } from './telegram/telegram-channel.ts'
/** @public */
export { sign } from './webhook/signature.ts'
/** @public */
export { type WebhookOptions, webhookChannel } from './webhook/webhook-channel.ts'
