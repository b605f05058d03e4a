// What this adapter uses of `@anthropic-ai/claude-agent-sdk`. These types are our own, so nothing of the SDK is imported: the
// application passes its own `query`. integrations/claude-agent-sdk.test.ts checks the types against the real ones.

/** The function `query` of the SDK. `Options` are the SDK's options. */
export type ClaudeQuery<Options extends object = object> = (call: {
  prompt: AsyncIterable<never>
  options?: Options
}) => AsyncIterable<ClaudeMessage>

/** A message of the SDK. What is in it is checked when it is read. */
export interface ClaudeMessage {
  readonly type: string
  /** Set on what a sub-agent of the SDK says: the call that has started it. */
  readonly parent_tool_use_id?: string | null
}

/** A message of the user, as the SDK takes it. */
export interface ClaudePrompt {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: readonly ClaudeBlock[] }
  readonly parent_tool_use_id: null
}

/** A block of a message, as the Messages API of Anthropic has it. */
export type ClaudeBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'document'; readonly source: ClaudeSource; readonly title?: string }

interface ClaudeSource {
  readonly type: 'base64' | 'text'
  readonly media_type: string
  readonly data: string
}

/** What the adapter sets. It replaces what the options of the application have under these names. */
export interface ClaudeSettings {
  readonly abortController: AbortController
  readonly includePartialMessages: true
  readonly forwardSubagentText: true
  readonly verbatimPrompts: boolean
  readonly maxTurns: number
  readonly canUseTool: unknown
  /** The session that goes on, as a copy. */
  readonly resume?: string
  readonly forkSession?: boolean
  /** The id of the new session. */
  readonly sessionId?: string
}

/** The second argument of `canUseTool` is the input of the call. This is the third one. */
export interface ClaudeToolContext {
  readonly toolUseID: string
  /** Set when a sub-agent of the SDK makes the call. */
  readonly agentID?: string
}

/** What `canUseTool` resolves to. The model reads the message. */
export type ClaudePermission =
  | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string }
