import { z } from 'zod'

/** How an answer stands: every answer begins as `streaming` and gets exactly one of the others. */
export const messageStatusSchema = z.enum([
  'streaming',
  'finished',
  'stopped',
  'failed',
  'interrupted',
  'limit',
])
export type MessageStatus = z.infer<typeof messageStatusSchema>
export type EndStatus = Exclude<MessageStatus, 'streaming'>

export const agentInfoSchema = z.object({
  kind: z.enum(['master', 'sub']),
  name: z.string(),
  displayName: z.string(),
  /** 0 is the master. */
  depth: z.number().int().min(0),
  path: z.array(z.string()),
})
export type AgentInfo = z.infer<typeof agentInfoSchema>

const tokenCounts = {
  inputTokens: z.number().min(0),
  outputTokens: z.number().min(0),
  totalTokens: z.number().min(0),
  reasoningTokens: z.number().min(0).optional(),
  cachedInputTokens: z.number().min(0).optional(),
}

export const modelUsageSchema = z.object({
  ...tokenCounts,
  calls: z.number().int().min(0),
  /** US dollars; `null` when the model's price is not known. */
  cost: z.number().min(0).nullish(),
})
export type ModelUsage = z.infer<typeof modelUsageSchema>

export const usageSchema = z.object({
  ...tokenCounts,
  /** US dollars; `null` when the price of any of the models is not known. */
  cost: z.number().min(0).nullish(),
  byModel: z.record(z.string(), modelUsageSchema).optional(),
})
export type Usage = z.infer<typeof usageSchema>

export const toolErrorSchema = z.object({ toolName: z.string(), errorText: z.string() })
export type ToolError = z.infer<typeof toolErrorSchema>

/** Fields an application adds of its own pass through untouched. */
export const messageMetadataSchema = z.looseObject({
  senderName: z.string().optional(),
  receiverName: z.string().optional(),
  /** `user-to-user` when a person writes to a person: then no agent answers, and none has answered. */
  communicationType: z.enum(['user-to-agent', 'agent-to-user', 'agent-to-agent', 'user-to-user']).optional(),
  agentUsed: z.string().optional(),
  createdAt: z.iso.datetime().optional(),
  /** The id by which whoever sent or asked for the message knows it; most often its own. */
  originalMessageId: z.string().optional(),
  /** The message this one follows, when that is not the one before it: the beginning of a branch. Empty for none. */
  previousMessageId: z.string().optional(),
  agent: agentInfoSchema.optional(),
  /** For a sub-agent's message: the message and the tool call it works for. */
  parent: z.object({ messageId: z.string(), toolCallId: z.string() }).optional(),
  /** The channel that the message came in through, and the id of its sender there. */
  channel: z.string().optional(),
  senderId: z.string().optional(),
  status: messageStatusSchema.optional(),
  /** Why the answer ended, in words for the person who reads it. */
  statusText: z.string().optional(),
  /** The answer has finished and says nothing: it has neither text nor files. `statusText` says so in words. */
  isEmpty: z.boolean().optional(),
  /** Only of an empty answer: the last tool call that failed, unless the same tool has succeeded since. */
  lastToolError: toolErrorSchema.optional(),
  finishReason: z.string().optional(),
  usage: usageSchema.optional(),
})
export type MessageMetadata = z.infer<typeof messageMetadataSchema>
