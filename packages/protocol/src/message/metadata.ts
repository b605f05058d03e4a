import { z } from 'zod'

/** The status of an answer. Every answer begins as `streaming`, and ends with exactly one of the others. */
export const messageStatusSchema = z.enum([
  'streaming',
  'finished',
  'stopped',
  'failed',
  'interrupted',
  'limit',
])
/** The status of an answer. */
export type MessageStatus = z.infer<typeof messageStatusSchema>
/** How an answer has ended. */
export type EndStatus = Exclude<MessageStatus, 'streaming'>

/** The agent that has written a message. */
export const agentInfoSchema = z.object({
  kind: z.enum(['master', 'sub']),
  name: z.string(),
  displayName: z.string(),
  /** The master has depth 0, a sub-agent of the master has depth 1, and so on. */
  depth: z.number().int().min(0),
  /** The lineage: the names of the agents from the master down to this one. */
  path: z.array(z.string()),
})
/** The agent that has written a message. */
export type AgentInfo = z.infer<typeof agentInfoSchema>

const tokenCounts = {
  inputTokens: z.number().min(0),
  outputTokens: z.number().min(0),
  totalTokens: z.number().min(0),
  reasoningTokens: z.number().min(0).optional(),
  cachedInputTokens: z.number().min(0).optional(),
}

/** What one model has used for an answer. */
export const modelUsageSchema = z.object({
  ...tokenCounts,
  calls: z.number().int().min(0),
  /** US dollars; `null` when the model's price is not known. */
  cost: z.number().min(0).nullish(),
})
/** What one model has used for an answer. */
export type ModelUsage = z.infer<typeof modelUsageSchema>

/** What an answer has used, its sub-agents included: in all, and by model. */
export const usageSchema = z.object({
  ...tokenCounts,
  /** US dollars; `null` when the price of any of the models is not known. */
  cost: z.number().min(0).nullish(),
  byModel: z.record(z.string(), modelUsageSchema).optional(),
})
/** What an answer has used, in all and by model. */
export type Usage = z.infer<typeof usageSchema>

/** A tool call that failed. */
export const toolErrorSchema = z.object({ toolName: z.string(), errorText: z.string() })
/** A tool call that failed. */
export type ToolError = z.infer<typeof toolErrorSchema>

/** Names one version of the definition of a sub-agent. */
export const definitionVersionSchema = z.object({ id: z.string(), version: z.number().int() })
/** Names one version of the definition of a sub-agent. */
export type DefinitionVersion = z.infer<typeof definitionVersionSchema>

/** The metadata of a message. An application may add fields of its own; they are kept as they are. */
export const messageMetadataSchema = z.looseObject({
  senderName: z.string().optional(),
  receiverName: z.string().optional(),
  /** Who writes to whom. With `user-to-user` a person writes to a person, and no agent answers. */
  communicationType: z.enum(['user-to-agent', 'agent-to-user', 'agent-to-agent', 'user-to-user']).optional(),
  agentUsed: z.string().optional(),
  createdAt: z.iso.datetime().optional(),
  /** The id that the sender (or the one who asked for the answer) gave to the message. Usually the same as its id. */
  originalMessageId: z.string().optional(),
  /**
   * The id of the message that this one follows. Only set when that is not the message before it: a new branch begins
   * here. Empty when the message follows none.
   */
  previousMessageId: z.string().optional(),
  agent: agentInfoSchema.optional(),
  /** Only for a sub-agent's message: the message and the tool call that it works for. */
  parent: z.object({ messageId: z.string(), toolCallId: z.string() }).optional(),
  /** Only for a message of a sub-agent that a person has defined: the definition, as it was when the message began. */
  agentDefinition: definitionVersionSchema.optional(),
  /** Only for a message of a person who has chosen the model of the answer: its name, such as `openai:gpt-5`. */
  chosenModel: z.string().optional(),
  /** Only for a message that came in through a channel: the channel's name, and the sender's id there. */
  channel: z.string().optional(),
  senderId: z.string().optional(),
  status: messageStatusSchema.optional(),
  /** Why the answer ended, as a sentence for the person who reads it. */
  statusText: z.string().optional(),
  /** True when the answer has finished with neither text nor files. `statusText` then says so in words. */
  isEmpty: z.boolean().optional(),
  /** Only for an empty answer: the last tool call that failed, unless the same tool has succeeded since. */
  lastToolError: toolErrorSchema.optional(),
  finishReason: z.string().optional(),
  usage: usageSchema.optional(),
})
/** The metadata of a message. */
export type MessageMetadata = z.infer<typeof messageMetadataSchema>
