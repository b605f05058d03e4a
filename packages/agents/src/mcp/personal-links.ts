import { timingSafeEqual } from 'node:crypto'
import { AuthorizationServerMismatchError, auth, MCPClientError } from '@ai-sdk/mcp'
import type { OwnerId } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { type HideSecrets, hideSecrets } from '../errors/hide-secrets.ts'
import { currentFrame, findFrame } from '../run/agent-frame.ts'
import {
  isRefusal,
  type McpCall,
  type McpCaller,
  type McpCallResult,
  McpConnection,
  type McpTimeouts,
  type McpToolDefinition,
} from './mcp-connection.ts'
import { McpLink, type McpReach } from './mcp-link.ts'
import type { McpServer } from './mcp-server.ts'
import { limitedFetch } from './message-limits.ts'
import { type AuthorizationFetchOptions, authorizationFetch } from './oauth/authorization-fetch.ts'
import { McpSignInFailed, McpSignInNeeded } from './oauth/sign-in-errors.ts'
import { BeginningProvider, EndingProvider, type McpOAuth, SignInProvider } from './oauth/sign-in-provider.ts'
import { type McpSignInStore, type PendingSignIn, SignInRecord } from './oauth/sign-in-record.ts'

/** What connections with sign-in need. */
export interface PersonalLinkOptions extends McpTimeouts, Pick<AuthorizationFetchOptions, 'ca' | 'resolve'> {
  /** Where the sign-ins of people are kept. */
  readonly signIns: McpSignInStore
  /** Hosts that authorization servers may have although they are not on the public internet. Default: none. */
  readonly allowHosts?: readonly string[] | undefined
  readonly now?: (() => Date) | undefined
}

/** How a person stands with a server. `needs-more`: the server wants more rights than the person has given. */
export type McpSignInStatus = 'signed-out' | 'signed-in' | 'needs-more'

/** What the authorization server sends back with the person. */
export interface SignInCallback {
  readonly state: string
  readonly code?: string | undefined
  /** The `iss` of the address. */
  readonly issuer?: string | undefined
  /** Why there is no code, such as `access_denied`. */
  readonly error?: string | undefined
}

interface PersonalLink {
  readonly link: McpLink
  readonly provider: SignInProvider
}

/** How many people can be connected to one server at the same time. */
const maxLinks = 200

/** A server at which each person signs in. Every person has a connection of their own, and nobody uses another one's. */
export class PersonalLinks implements McpReach {
  readonly #name: string
  readonly #server: Extract<McpServer, { readonly url: string }>
  readonly #oauth: McpOAuth
  readonly #options: PersonalLinkOptions
  /** The least recently used one comes first. */
  readonly #links = new Map<OwnerId, PersonalLink>()
  #isClosed = false

  constructor(
    name: string,
    server: Extract<McpServer, { readonly url: string }>,
    options: PersonalLinkOptions,
  ) {
    this.#name = name
    this.#server = server
    this.#oauth = server.oauth === undefined || server.oauth === true ? {} : server.oauth
    this.#options = options
  }

  /** The tools as the person of this run has seen them. None outside of a run. */
  get tools(): readonly McpToolDefinition[] {
    const ownerId = currentOwner()
    return (ownerId === undefined ? undefined : this.#links.get(ownerId)?.link.tools) ?? []
  }

  async askForTools(): Promise<readonly McpToolDefinition[]> {
    const ownerId = currentOwner()
    if (ownerId === undefined || (await this.status(ownerId)) === 'signed-out') return []
    const { link } = this.#linkOf(ownerId)
    if (link.tools.length === 0) await link.connectOnce().catch(() => undefined)
    return link.tools
  }

  /** Connects the person of this run. Throws `McpSignInNeeded` when they have to sign in first. */
  async connect(signal?: AbortSignal): Promise<McpCaller> {
    return this.connectFor(currentFrame().run.ownerId, signal)
  }

  async connectFor(ownerId: OwnerId, signal?: AbortSignal): Promise<McpCaller> {
    if (this.#isClosed) throw new Error('The connection was closed for good.')
    if ((await this.status(ownerId)) === 'signed-out') throw new McpSignInNeeded(this.#name)
    const personal = this.#linkOf(ownerId)
    const connection = await personal.link.connect(signal).catch(error => {
      throw this.#failure(error, ownerId, personal)
    })
    return {
      tools: connection.tools,
      get isUsable() {
        return connection.isUsable
      },
      call: call => this.#call({ ownerId, personal, connection }, call),
    }
  }

  async status(ownerId: OwnerId): Promise<McpSignInStatus> {
    const { tokens, missingScope } = await this.#record(ownerId).read()
    if (tokens === undefined) return 'signed-out'
    return missingScope === undefined ? 'signed-in' : 'needs-more'
  }

  /** Begins to sign a person in. Resolves to the address that they have to open. */
  async begin(ownerId: OwnerId, redirectUrl: string): Promise<URL> {
    const stop = new AbortController()
    let address: URL | undefined
    let metadata: Readonly<Record<string, unknown>> = {}
    let resourceMetadataUrl: string | undefined
    const authProvider = new BeginningProvider({
      oauth: this.#oauth,
      record: this.#record(ownerId),
      redirectUrl,
      now: this.#options.now ?? (() => new Date()),
      discovered: () => ({ metadata, resourceMetadataUrl }),
      onAddress(url) {
        address = url
        stop.abort()
      },
    })
    const fetchWith = (inner: typeof fetch) =>
      this.#fetch(inner, {
        onMetadata(found) {
          metadata = found
        },
        onChallenge(url) {
          resourceMetadataUrl = url
        },
      })
    try {
      const options = { ...this.#options, signal: stop.signal, access: { authProvider, fetchWith } }
      const connection = await McpConnection.open(this.#server, options)
      await connection.close()
    } catch (error) {
      if (address === undefined) throw new McpSignInFailed(this.#name, 'cannot-begin', error)
    }
    if (address === undefined) throw new McpSignInFailed(this.#name, 'not-needed')
    if (address.protocol !== 'https:' && address.protocol !== 'http:')
      throw new McpSignInFailed(this.#name, 'cannot-begin')
    return address
  }

  /** Ends a sign-in that the same person has begun. Each can be ended once. Throws `McpSignInFailed`. */
  async finish(ownerId: OwnerId, { state, code, issuer, error }: SignInCallback): Promise<void> {
    const record = this.#record(ownerId)
    const { pending, redirectUrl } = await record.change(({ pending, ...rest }) =>
      isOf(pending, state) ? rest : { ...rest, pending },
    )
    if (pending === undefined || redirectUrl === undefined || !isOf(pending, state))
      throw new McpSignInFailed(this.#name, 'unknown')
    const now = this.#options.now?.() ?? new Date()
    if (pending.until < now.getTime()) throw new McpSignInFailed(this.#name, 'too-late')
    // Without its name, the response may come from another authorization server (RFC 9207).
    if (pending.namesIssuer && issuer === undefined) throw new McpSignInFailed(this.#name, 'refused')
    if (issuer !== undefined && issuer !== pending.issuer) throw new McpSignInFailed(this.#name, 'refused')
    if (error !== undefined || code === undefined) throw new McpSignInFailed(this.#name, 'denied')
    await this.#exchange(new EndingProvider({ oauth: this.#oauth, record, pending, redirectUrl }), {
      pending,
      code,
    })
    await this.#drop(ownerId)
  }

  /** Forgets the tokens of a person, and ends their connection. */
  async signOut(ownerId: OwnerId): Promise<void> {
    await this.#record(ownerId).remove()
    await this.#drop(ownerId)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#links.values()].map(({ link }) => link.close()))
  }

  async #exchange(
    provider: EndingProvider,
    { pending, code }: { readonly pending: PendingSignIn; readonly code: string },
  ): Promise<void> {
    const { resourceMetadataUrl, issuer } = pending
    try {
      await auth(provider, {
        serverUrl: this.#server.url,
        authorizationCode: code,
        callbackState: pending.state,
        fetchFn: this.#fetch(limitedFetch(() => undefined)),
        ...defined({ callbackIssuer: issuer }),
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
      })
    } catch (error) {
      throw new McpSignInFailed(this.#name, 'refused', error)
    }
  }

  async #call({ ownerId, personal, connection }: PersonalConnection, call: McpCall): Promise<McpCallResult> {
    const hide = hideSecrets(await this.#secretsOf(ownerId))
    try {
      return withoutSecrets(await connection.call(call), hide)
    } catch (error) {
      if (isRefusal(error) && error.code !== undefined)
        throw new MCPClientError({ message: hide(error.message), code: error.code })
      throw this.#failure(error, ownerId, personal)
    }
  }

  #failure(error: unknown, ownerId: OwnerId, { provider }: PersonalLink): unknown {
    if (!provider.needsSignIn) return error
    void this.#drop(ownerId)
    return new McpSignInNeeded(this.#name)
  }

  async #secretsOf(ownerId: OwnerId): Promise<readonly string[]> {
    const { tokens } = await this.#record(ownerId).read()
    return [tokens?.access_token, tokens?.refresh_token, tokens?.id_token].filter(each => each !== undefined)
  }

  #linkOf(ownerId: OwnerId): PersonalLink {
    const found = this.#links.get(ownerId) ?? this.#newLink(ownerId)
    this.#links.delete(ownerId)
    this.#links.set(ownerId, found)
    if (this.#links.size > maxLinks) {
      const [idle] = [...this.#links].find(([, { link }]) => !link.isBusy) ?? []
      if (idle !== undefined && idle !== ownerId) void this.#drop(idle)
    }
    return found
  }

  #newLink(ownerId: OwnerId): PersonalLink {
    const provider = new SignInProvider({ oauth: this.#oauth, record: this.#record(ownerId) })
    const onMissingScope = (scope: string) => provider.missesScope(scope)
    const fetchWith = (inner: typeof fetch) => this.#fetch(inner, { onMissingScope })
    // The server has moved to another authorization server. The tokens of the earlier one are not for it.
    const onError = (error: unknown) => {
      if (error instanceof AuthorizationServerMismatchError) provider.needsSignIn = true
    }
    const access = { authProvider: provider, fetchWith, onError }
    return { provider, link: new McpLink(this.#server, this.#options, () => access) }
  }

  async #drop(ownerId: OwnerId): Promise<void> {
    const found = this.#links.get(ownerId)
    this.#links.delete(ownerId)
    await found?.link.close()
  }

  #record(ownerId: OwnerId): SignInRecord {
    return new SignInRecord(this.#options.signIns, { ownerId, server: this.#name })
  }

  #fetch(inner: typeof fetch, hooks: FetchHooks = {}): typeof fetch {
    const { allowHosts = [], ca, resolve } = this.#options
    const { issuer } = this.#oauth
    const allowed = issuer === undefined ? allowHosts : [...allowHosts, new URL(issuer).host]
    return authorizationFetch({ url: this.#server.url, inner, allowHosts: allowed, ca, resolve, ...hooks })
  }
}

type FetchHooks = Pick<AuthorizationFetchOptions, 'onMissingScope' | 'onMetadata' | 'onChallenge'>

interface PersonalConnection {
  readonly ownerId: OwnerId
  readonly personal: PersonalLink
  readonly connection: McpConnection
}

function currentOwner(): OwnerId | undefined {
  return findFrame()?.run.ownerId
}

function isOf(pending: PendingSignIn | undefined, state: string): boolean {
  const [expected, given] = [Buffer.from(pending?.state ?? ''), Buffer.from(state)]
  return expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given)
}

/** A server must not make a person's tokens readable by returning them. */
function withoutSecrets(result: McpCallResult, hide: HideSecrets): McpCallResult {
  const text = JSON.stringify(result)
  const hidden = hide(text)
  return hidden === text ? result : JSON.parse(hidden)
}
