import { z } from 'zod'

/** A row of the table `chats`. */
export const chatRow = z.object({
  owner_id: z.string(),
  id: z.string(),
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  /** The last entry of the log that the rows of `messages` contain. */
  saved_seq: z.number(),
  /** When the removal of the chat began; null for all others. A chat with a time here does not exist for anyone. */
  removed_at: z.string().nullable(),
  /** The process that deletes the rows of a removed chat, and until when it has the right to, in milliseconds since 1970. */
  removal_by: z.string().nullable(),
  removal_until: z.number().nullable(),
  /** When an answer of the chat ended last; null while none has. */
  answered_at: z.string().nullable(),
  /** When the person has pinned the chat to the top of the list; null for all others. */
  pinned_at: z.string().nullable(),
})

/** A row of the table `messages`. */
export const messageRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  id: z.string(),
  role: z.enum(['system', 'user', 'assistant']),
  metadata: z.string(),
  run_id: z.string(),
  /** Its place in the chat. At first this is the number of its first entry. Null until its run has ended. */
  seq: z.number().nullable(),
})

/** A row of the table `parts`. */
export const partRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  message_id: z.string(),
  idx: z.number(),
  body: z.string(),
})

/** A row of the table `runs`. */
export const runRow = z.object({
  owner_id: z.string(),
  id: z.string(),
  chat_id: z.string(),
  agent: z.string(),
  user_message_id: z.string(),
  answer_id: z.string(),
  status: z.enum(['running', 'finished', 'stopped', 'failed', 'interrupted', 'limit']),
  kind: z.enum(['answer', 'another-answer', 'follow-up', 'message', 'change']),
  /** All entries of the run come after this one. */
  after_seq: z.number(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /** The node that works on the run. Empty when no node does, and in a database that only one process uses. */
  node_id: z.string(),
  /** JSON that only the server reads: who asked, and from where. Null after the run has ended. */
  context: z.string().nullable(),
  /** JSON that only the server reads: what the run has used so far. */
  usage: z.string().nullable(),
  /** How often the run was taken over after a crash. */
  attempt: z.number(),
  /** When somebody first asked for the end of the run; null when nobody has. */
  stop_requested_at: z.string().nullable(),
  /** Who asked: a person (`user`), or a new message that interrupts the run (`message`). */
  stop_requested_by: z.enum(['user', 'message']).nullable(),
  /** A digest of the user's message as it was sent; null when it was not edited while it waited. */
  sent_digest: z.string().nullable(),
  /** The nodes that died while they worked on the run, each with a space behind it. Without those that another run explains. */
  deaths: z.string(),
  /** See `Run.quarantine`. Empty for most runs. */
  quarantine: z.enum(['', 'waits', 'inside', 'ended']),
})

/** A row of the table `approvals`. */
export const approvalRow = z.object({
  owner_id: z.string(),
  id: z.string(),
  chat_id: z.string(),
  run_id: z.string(),
  message_id: z.string(),
  tool_call_id: z.string(),
  tool_name: z.string(),
  input_hash: z.string(),
  status: z.enum(['pending', 'approved', 'denied', 'answered', 'expired', 'void']),
  reason: z.string().nullable(),
  created_at: z.string(),
  settled_at: z.string().nullable(),
  kind: z.enum(['approval', 'output', 'question']),
  answer: z.string().nullable(),
})

/** A row of the table `files`. */
export const fileRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  id: z.string(),
  media_type: z.string(),
  bytes: z.number(),
  created_at: z.string(),
})

const unsavedFileRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  id: z.string(),
  /** When its bytes were written for the last time. */
  written_at: z.string(),
  /** When somebody began to remove its bytes; null for all others. */
  sweep_at: z.string().nullable(),
})

/** A row of the table `sub_agents`. */
export const subAgentRow = z.object({
  owner_id: z.string(),
  id: z.string(),
  /** Empty for the owner's default workspace. */
  workspace_id: z.string(),
  name: z.string(),
  enabled: z.number(),
  /** The other fields, as JSON. */
  definition: z.string(),
  version: z.number(),
  updated_at: z.string(),
})

/** A row of the table `channel_chats`. */
export const channelChatRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  channel: z.string(),
  target: z.string(),
  delivered_epoch: z.string(),
  delivered_seq: z.number(),
  taken_over_by: z.string().nullable(),
  /** The node that sends the chat to its channel. Empty when no node does. */
  delivered_by: z.string(),
})

/** A row of the table `outbox`. */
export const outboxRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  run_id: z.string(),
  idx: z.number(),
  body: z.string(),
  status: z.enum(['pending', 'sent', 'failed']),
  receipt: z.string().nullable(),
})

/** A row of the table `nodes`. */
const nodeRow = z.object({
  id: z.string(),
  /** The time of the last beat, by the clock of the database, in milliseconds since 1970. 0 when the node has resigned. */
  seen_at: z.number(),
})

/** A row of the table `job_leases`. */
const jobLeaseRow = z.object({
  name: z.string(),
  node_id: z.string(),
  /** Grows by one each time that another node takes the job. */
  fence: z.number(),
  /** By the clock of the database, in milliseconds since 1970. */
  until: z.number(),
})

/** A row of the table `waiting_submissions`. */
export const waitingSubmissionRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  id: z.string(),
  /** The order in the queue of the chat. */
  idx: z.number(),
  body: z.string(),
  created_at: z.string(),
})

/** A row of the table `operator_replies`. */
export const operatorReplyRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  answer_id: z.string(),
  text: z.string(),
  /** 0: it waits to be said. 2: it is just being said. 1: it is in the log. */
  said: z.number(),
  created_at: z.string(),
})

/** A row of the table `shared_keys`. */
const sharedKeyRow = z.object({
  name: z.string(),
  /** In hexadecimal digits. */
  key: z.string(),
})

const removedMessageRow = z.object({
  owner_id: z.string(),
  chat_id: z.string(),
  message_id: z.string(),
  removed_at: z.string(),
})

/** A row of the table `usage_days`. */
export const usageDayRow = z.object({
  owner_id: z.string(),
  day: z.string(),
  agent: z.string(),
  model: z.string(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** In billionths of a US dollar. Only for tokens whose price was known. */
  cost_nanos: z.number(),
  unpriced_tokens: z.number(),
})

/** A row of the table `shares`. */
export const shareRow = z.object({
  /** The secret part of the link. */
  key: z.string(),
  owner_id: z.string(),
  chat_id: z.string(),
  title: z.string(),
  created_at: z.string(),
  message_count: z.number(),
  /** A hash of the title and the messages. */
  digest: z.string(),
  /** The files that the messages name, as a JSON list of ids. */
  file_ids: z.string(),
  /** The messages, as JSON. May be long. */
  messages: z.string(),
})

/** A row of the table `mcp_sign_ins`. */
export const mcpSignInRow = z.object({
  owner_id: z.string(),
  /** The name of the server in the configuration. */
  server: z.string(),
  /** JSON that only the MCP client reads. It has tokens. */
  body: z.string(),
})

/** The tables of `migrations.ts`, as types. */
export interface Schema {
  readonly chats: z.infer<typeof chatRow>
  readonly messages: z.infer<typeof messageRow>
  readonly parts: z.infer<typeof partRow>
  readonly runs: z.infer<typeof runRow>
  readonly approvals: z.infer<typeof approvalRow>
  readonly files: z.infer<typeof fileRow>
  readonly unsaved_files: z.infer<typeof unsavedFileRow>
  readonly sub_agents: z.infer<typeof subAgentRow>
  readonly channel_chats: z.infer<typeof channelChatRow>
  readonly outbox: z.infer<typeof outboxRow>
  readonly removed_messages: z.infer<typeof removedMessageRow>
  readonly nodes: z.infer<typeof nodeRow>
  readonly job_leases: z.infer<typeof jobLeaseRow>
  readonly waiting_submissions: z.infer<typeof waitingSubmissionRow>
  readonly operator_replies: z.infer<typeof operatorReplyRow>
  readonly shared_keys: z.infer<typeof sharedKeyRow>
  readonly usage_days: z.infer<typeof usageDayRow>
  readonly shares: z.infer<typeof shareRow>
  readonly mcp_sign_ins: z.infer<typeof mcpSignInRow>
}
