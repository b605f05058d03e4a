// The entry point `@throughline/channels`.

/** @public */
export { BlockChunker, type DrainOptions } from './cutting/block-chunker.ts'
/** @public */
export {
  type Block,
  type BlockChunkerOptions,
  type BreakPreference,
  type ChunkLimits,
  chunkLimits,
  joinBlocks,
} from './cutting/blocks.ts'
/** @public */
export {
  type BlockReplyOptions,
  type BlockReplyPipeline,
  createBlockReplyPipeline,
  type ReplyPayload,
} from './delivery/block-reply-pipeline.ts'
/** @public */
export { deliverRun } from './delivery/deliver-run.ts'
/** @public */
export { blockLimits, type Delivery, type DeliveryOptions } from './delivery/delivery.ts'
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
} from './ports/channel.ts'
/** @public */
export { type TelegramOptions, telegramChannel } from './telegram/telegram-channel.ts'
/** @public */
export { sign } from './webhook/signature.ts'
/** @public */
export { type WebhookOptions, webhookChannel } from './webhook/webhook-channel.ts'
