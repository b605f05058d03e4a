import type { OAuthAuthorizationServerInformation, OAuthClientProvider, OAuthTokens } from '@ai-sdk/mcp'
import { randomHex } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { McpSignIn, PendingSignIn, SignInRecord } from './sign-in-record.ts'

/** How Throughline signs people in at a server. All fields may be left out. */
export const mcpOAuth = z
  .strictObject({
    /** The id that the authorization server knows Throughline by. Default: Throughline registers itself. */
    clientId: z.string().min(1).optional(),
    clientSecret: z.string().min(1).optional(),
    /** The authorization server that a client secret may be sent to. */
    issuer: z.url({ protocol: /^https?$/ }).optional(),
    /** The address of a document that describes Throughline, for servers that take it as a client id. */
    clientMetadataUrl: z.url({ protocol: /^https$/ }).optional(),
    /** The scopes to ask for, if the server does not say which. */
    scope: z.string().min(1).optional(),
  })
  .refine(({ clientId, clientSecret, issuer }) => clientSecret === undefined || (clientId && issuer), {
    message: 'A clientSecret needs a clientId and the issuer that it may be sent to.',
  })

/** How Throughline signs people in at a server. */
export type McpOAuth = z.infer<typeof mcpOAuth>

interface ProviderParts {
  readonly oauth: McpOAuth
  readonly record: SignInRecord
}

type ClientInformation = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>
type Credentials = 'all' | 'client' | 'tokens' | 'verifier'

/**
 * Gives the MCP client of the AI SDK the saved tokens of one person, and saves what it renews. It never begins a sign-in:
 * when the person has to sign in, `needsSignIn` becomes true.
 */
export class SignInProvider implements OAuthClientProvider {
  protected readonly oauth: McpOAuth
  protected readonly record: SignInRecord
  /** Whether the person has to sign in before this can work. */
  needsSignIn = false

  constructor({ oauth, record }: ProviderParts) {
    this.oauth = oauth
    this.record = record
  }

  get redirectUrl(): string {
    // The SDK asks for it before it begins a sign-in, which this provider never does.
    return 'http://localhost/'
  }

  get clientMetadata() {
    const { scope, clientSecret } = this.oauth
    return {
      client_name: 'Throughline',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...defined({ scope }),
    }
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    return (await this.record.read()).tokens
  }

  /** Saves renewed tokens. When the person has signed out in the meantime, they stay signed out. */
  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.record.change(saved => (saved.tokens === undefined ? saved : withTokens(saved, tokens)))
  }

  async clientInformation(): Promise<ClientInformation | undefined> {
    const { clientId, clientSecret, issuer } = this.oauth
    if (clientId === undefined) return (await this.record.read()).client
    return { client_id: clientId, client_secret: clientSecret, issuer }
  }

  isClientInformationDynamicallyRegistered(): boolean {
    return this.oauth.clientId === undefined
  }

  async saveClientInformation(client: ClientInformation): Promise<void> {
    await this.record.change(saved => ({ ...saved, client }))
  }

  /** Removes what the authorization server does not accept any more. Newer tokens of another process stay. */
  async invalidateCredentials(what: Credentials, context?: { readonly tokens: OAuthTokens }): Promise<void> {
    await this.record.change(saved => without(saved, what, context?.tokens))
  }

  saveAuthorizationServerInformation(_given: OAuthAuthorizationServerInformation): void {}

  saveCodeVerifier(_verifier: string): void {}

  codeVerifier(): string {
    throw new Error('No sign-in has begun.')
  }

  async redirectToAuthorization(_url: URL): Promise<void> {
    this.needsSignIn = true
  }

  /** Remembers that the server refused a call because the tokens do not allow it. */
  async missesScope(missingScope: string): Promise<void> {
    this.needsSignIn = true
    await this.record.change(saved => (saved.tokens === undefined ? saved : { ...saved, missingScope }))
  }
}

function withTokens({ missingScope: _, ...saved }: McpSignIn, tokens: OAuthTokens): McpSignIn {
  return { ...saved, tokens }
}

function without(saved: McpSignIn, what: Credentials, refused: OAuthTokens | undefined): McpSignIn {
  const { client: _client, tokens: _tokens, ...rest } = saved
  switch (what) {
    case 'all':
      return rest
    case 'client':
      return { ...rest, tokens: saved.tokens }
    case 'tokens': {
      const isNewer = refused !== undefined && saved.tokens?.access_token !== refused.access_token
      return isNewer ? saved : { ...rest, client: saved.client }
    }
    case 'verifier':
      return saved
  }
}

/** What the servers have said about themselves. */
export interface Discovered {
  /** What the authorization server says about itself. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Where the MCP server describes itself. */
  readonly resourceMetadataUrl?: string | undefined
}

/** Where a person goes to sign in, and what has to be kept until they are back. */
export interface BeginningOptions extends ProviderParts {
  readonly redirectUrl: string
  readonly now: () => Date
  readonly discovered: () => Discovered
  readonly onAddress: (url: URL) => void
}

/** How long a person has for signing in, in milliseconds. */
const maxSignInMs = 10 * 60_000

/** Begins a sign-in: registers us where that is needed, and makes the address that the person has to open. */
export class BeginningProvider extends SignInProvider {
  readonly #options: BeginningOptions
  readonly #state = randomHex(32)
  #verifier = ''
  #server: OAuthAuthorizationServerInformation | undefined

  constructor(options: BeginningOptions) {
    super(options)
    this.#options = options
  }

  override get redirectUrl(): string {
    // The constructor of the base class needs none.
    return this.#options.redirectUrl
  }

  // The person wants to sign in, whatever there is from before.
  override async tokens(): Promise<undefined> {}

  override async clientInformation(): Promise<ClientInformation | undefined> {
    const { clientId, clientMetadataUrl } = this.oauth
    if (clientId !== undefined) return super.clientInformation()
    const { metadata } = this.#options.discovered()
    if (clientMetadataUrl !== undefined && metadata['client_id_metadata_document_supported'] === true) {
      const client = { client_id: clientMetadataUrl }
      await this.saveClientInformation(client)
      return client
    }
    // We are registered at one authorization server, with one address of our page. When one of them changes, we register
    // again.
    const { client, redirectUrl } = await this.record.read()
    const isHere = client?.issuer === metadata['issuer'] && redirectUrl === this.redirectUrl
    return isHere ? client : undefined
  }

  override async saveClientInformation(client: ClientInformation): Promise<void> {
    await this.record.change(saved => ({ ...saved, client, redirectUrl: this.redirectUrl }))
  }

  state(): string {
    return this.#state
  }

  override saveAuthorizationServerInformation(server: OAuthAuthorizationServerInformation): void {
    this.#server = server
  }

  override saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  override async redirectToAuthorization(url: URL): Promise<void> {
    if (this.#server === undefined) throw new Error('The authorization server is not known.')
    const { metadata, resourceMetadataUrl } = this.#options.discovered()
    const pending: PendingSignIn = {
      state: this.#state,
      codeVerifier: this.#verifier,
      namesIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
      resourceMetadataUrl,
      until: this.#options.now().getTime() + maxSignInMs,
      ...this.#server,
    }
    const { redirectUrl } = this
    const { missingScope, tokens } = await this.record.change(saved => ({ ...saved, redirectUrl, pending }))
    const before = missingScope === undefined ? [] : [tokens?.scope, missingScope]
    this.#options.onAddress(withScopes(url, before, metadata['scopes_supported']))
  }
}

/** Adds scopes to the address. With `offline_access` the person does not have to sign in again each hour. */
function withScopes(url: URL, more: readonly (string | undefined)[], known: unknown): URL {
  const asked = [url.searchParams.get('scope'), ...more].flatMap(scope => scope?.split(' ') ?? [])
  const scopes = new Set(asked.filter(scope => scope !== ''))
  if (Array.isArray(known) && known.includes('offline_access')) scopes.add('offline_access')
  if (scopes.size > 0) url.searchParams.set('scope', [...scopes].join(' '))
  if (scopes.has('offline_access')) url.searchParams.set('prompt', 'consent')
  return url
}

/** Ends a sign-in: exchanges the code that the person brought for tokens. */
export class EndingProvider extends SignInProvider {
  readonly #pending: PendingSignIn
  readonly #redirectUrl: string

  constructor(parts: ProviderParts & { readonly pending: PendingSignIn; readonly redirectUrl: string }) {
    super(parts)
    this.#pending = parts.pending
    this.#redirectUrl = parts.redirectUrl
  }

  override get redirectUrl(): string {
    return this.#redirectUrl
  }

  override async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.record.change(saved => withTokens(saved, tokens))
  }

  authorizationServerInformation(): OAuthAuthorizationServerInformation {
    const { issuer, authorizationServerUrl, tokenEndpoint } = this.#pending
    return { authorizationServerUrl, tokenEndpoint, ...defined({ issuer }) }
  }

  storedState(): string {
    return this.#pending.state
  }

  override codeVerifier(): string {
    return this.#pending.codeVerifier
  }
}
