/** What is known of the person who sends a submission, beside its owner. */
export interface Sender {
  /** The name of the sender in messages that name none. */
  readonly displayName?: string | undefined
  /** For the tools and agents of the application. The server does not read them. */
  readonly roles: readonly string[]
  /** The keys of the tools that agents may use for this person. All tools when it is missing. */
  readonly permittedTools: ReadonlySet<string> | undefined
}

/** A sender about whom nothing more is known: the one local owner, the owner of a token, or a channel. */
export const plainSender: Sender = { roles: [], permittedTools: undefined }
