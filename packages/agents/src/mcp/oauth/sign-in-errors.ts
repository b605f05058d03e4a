/** A call was not made, because its person has to sign in at the server first. */
export class McpSignInNeeded extends Error {
  override readonly name = 'McpSignInNeeded'
  readonly code = 'mcp-sign-in-needed'
  readonly server: string

  constructor(server: string) {
    super(
      `The user has to sign in at "${server}" first, so nothing was done. They can do so on the settings page (/settings), under "Connections". Then try again.`,
    )
    this.server = server
  }
}

/**
 * Why a person was not signed in.
 * - `not-needed`: the server works without.
 * - `cannot-begin`: the server, or its authorization server, does not work as it should.
 * - `unknown`: this person has begun no such sign-in, or has ended it.
 * - `too-late`: it was begun too long ago.
 * - `denied`: the person, or the authorization server, did not want it.
 * - `refused`: the response of the authorization server cannot be trusted, or the code was not accepted.
 */
export type McpSignInFailure = 'not-needed' | 'cannot-begin' | 'unknown' | 'too-late' | 'denied' | 'refused'

/** A person was not signed in at a server. The cause is for the operator's log. */
export class McpSignInFailed extends Error {
  override readonly name = 'McpSignInFailed'
  readonly code = 'mcp-sign-in-failed'
  readonly server: string
  readonly why: McpSignInFailure

  constructor(server: string, why: McpSignInFailure, cause?: unknown) {
    super(sentences[why](server), { cause })
    this.server = server
    this.why = why
  }
}

const sentences: Readonly<Record<McpSignInFailure, (server: string) => string>> = {
  'not-needed': server => `"${server}" works without signing in.`,
  'cannot-begin': server =>
    `Signing in at "${server}" could not begin. The server's log says why. Try again later.`,
  unknown: server => `You have not begun to sign in at "${server}", or have ended it already. Begin again.`,
  'too-late': server => `Signing in at "${server}" took too long. Begin again.`,
  denied: server => `"${server}" was not allowed to be used. Begin again if that was a mistake.`,
  refused: server => `"${server}" did not accept the sign-in. The server's log says why. Begin again.`,
}
