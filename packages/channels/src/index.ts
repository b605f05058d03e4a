// The entry point `@throughline/channels`.

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
export { deliverRun } from './deliver-run.ts'
/** @public */
export { blockLimits, type Delivery, type DeliveryOptions } from './delivery.ts'
/** @public */
export { type TelegramOptions, telegramChannel } from './telegram/telegram-channel.ts'
/** @public */
export { sign } from './webhook/signature.ts'
/** @public */
export { type WebhookOptions, webhookChannel } from './webhook/webhook-channel.ts'
