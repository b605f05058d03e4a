import type { OwnerId } from '@throughline/protocol'
import { z } from 'zod'

/** Names the sign-in of one person at one MCP server of the configuration. */
export interface McpSignInName {
  readonly ownerId: OwnerId
  readonly server: string
}

/** Where the sign-ins of people at MCP servers are kept. Their content has secrets: nobody but this code may read it. */
export interface McpSignInStore {
  /** Returns what is saved; `undefined` when there is nothing. */
  read(name: McpSignInName): Promise<string | undefined>
  /** Saves `body`, or removes it, if `previous` is still what is saved. Returns false otherwise. */
  replace(
    name: McpSignInName,
    change: { readonly previous: string | undefined; readonly body: string | undefined },
  ): Promise<boolean>
}

const issuedBy = {
  issuer: z.string().optional(),
  authorization_server: z.string().optional(),
  token_endpoint: z.string().optional(),
}

const signIn = z.object({
  /** The address of our page to which the authorization server sends the person back. */
  redirectUrl: z.string().optional(),
  /** How the authorization server knows us, if we registered ourselves. */
  client: z
    .object({
      client_id: z.string(),
      client_secret: z.string().optional(),
      client_id_issued_at: z.number().optional(),
      client_secret_expires_at: z.number().optional(),
      ...issuedBy,
    })
    .optional(),
  tokens: z
    .object({
      access_token: z.string(),
      token_type: z.string(),
      id_token: z.string().optional(),
      expires_in: z.number().optional(),
      scope: z.string().optional(),
      refresh_token: z.string().optional(),
      ...issuedBy,
    })
    .optional(),
  /** What the server asked for in addition, when it refused a call. The next sign-in asks for it. */
  missingScope: z.string().optional(),
  /** A sign-in that has begun: the person is at the authorization server. */
  pending: z
    .object({
      state: z.string(),
      codeVerifier: z.string(),
      issuer: z.string().optional(),
      authorizationServerUrl: z.string(),
      tokenEndpoint: z.string(),
      /** Where the server describes itself, if it has said so. */
      resourceMetadataUrl: z.string().optional(),
      /** The authorization server has promised to name itself when it sends the person back. */
      namesIssuer: z.boolean(),
      /** When it is too late, in milliseconds since 1970. */
      until: z.number(),
    })
    .optional(),
})

/** What is kept of the sign-in of one person at one server. */
export type McpSignIn = z.infer<typeof signIn>
/** A sign-in that has begun. */
export type PendingSignIn = NonNullable<McpSignIn['pending']>

/** The saved sign-in of one person at one server. */
export class SignInRecord {
  readonly #store: McpSignInStore
  readonly #name: McpSignInName

  constructor(store: McpSignInStore, name: McpSignInName) {
    this.#store = store
    this.#name = name
  }

  async read(): Promise<McpSignIn> {
    return signInFrom(await this.#store.read(this.#name))
  }

  /**
   * Changes what is saved, also while another process changes it: then `change` is called again with the newer content.
   * Writes nothing when `change` returns what it was given. Returns what was saved before.
   */
  async change(change: (saved: McpSignIn) => McpSignIn): Promise<McpSignIn> {
    for (;;) {
      const previous = await this.#store.read(this.#name)
      const before = signInFrom(previous)
      const after = change(before)
      if (after === before) return before
      if (await this.#store.replace(this.#name, { previous, body: JSON.stringify(after) })) return before
    }
  }

  async remove(): Promise<void> {
    let previous = await this.#store.read(this.#name)
    while (previous !== undefined) {
      if (await this.#store.replace(this.#name, { previous, body: undefined })) return
      previous = await this.#store.read(this.#name)
    }
  }
}

/** What cannot be read any more counts as nothing: the person signs in again. */
function signInFrom(body: string | undefined): McpSignIn {
  if (body === undefined) return {}
  const { data } = signIn.safeParse(JSON.parse(body))
  return data ?? {}
}
