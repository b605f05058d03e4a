import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** What a test can see and change of an authorization server. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly url: string
  /** The parameters of every request to the token endpoint. */
  readonly tokenRequests: readonly Readonly<Record<string, string>>[]
  /** How many clients have registered themselves. */
  readonly registrations: number
  /** Returns the person that an access token stands for; `undefined` when it is not valid. */
  personOf(authorization: string | undefined): string | undefined
  /** Makes all access tokens invalid. Refresh tokens stay. */
  expireAccess(): void
  /** Makes all tokens invalid. */
  revokeAll(): void
}

interface Grant {
  readonly challenge: string
  readonly redirectUri: string
  readonly clientId: string
}

/**
 * Starts an OAuth authorization server: metadata, registration, PKCE, and refresh tokens that are used once. Whoever opens
 * its page is signed in at once, as the person that `person` returns.
 */
export async function startAuthorizationServer({
  person = () => 'somebody',
}: {
  readonly person?: () => string
} = {}): Promise<AuthorizationServer> {
  const grants = new Map<string, Grant>()
  const access = new Map<string, string>()
  const refresh = new Map<string, string>()
  const tokenRequests: Record<string, string>[] = []
  let registrations = 0

  const tokensFor = (who: string) => {
    const [access_token, refresh_token] = [`access-${randomHex()}`, `refresh-${randomHex()}`]
    access.set(access_token, who)
    refresh.set(refresh_token, who)
    return { access_token, refresh_token, token_type: 'Bearer', expires_in: 3600 }
  }
  const exchange = (asked: Record<string, string>): Reply => {
    tokenRequests.push(asked)
    if (asked['grant_type'] === 'refresh_token') {
      const token = asked['refresh_token'] ?? ''
      const who = refresh.get(token)
      refresh.delete(token)
      return who === undefined ? invalidGrant : { status: 200, body: tokensFor(who) }
    }
    const grant = grants.get(asked['code'] ?? '')
    grants.delete(asked['code'] ?? '')
    const challenge = createHash('sha256')
      .update(asked['code_verifier'] ?? '')
      .digest('base64url')
    const isValid =
      grant?.challenge === challenge &&
      grant.redirectUri === asked['redirect_uri'] &&
      grant.clientId === asked['client_id']
    return isValid ? { status: 200, body: tokensFor(person()) } : invalidGrant
  }
  const authorize = ({ searchParams }: URL, url: string): Reply => {
    const code = `code-${randomHex()}`
    const given = (name: string) => searchParams.get(name) ?? ''
    grants.set(code, {
      challenge: given('code_challenge'),
      redirectUri: given('redirect_uri'),
      clientId: given('client_id'),
    })
    const back = new URL(given('redirect_uri'))
    for (const [name, value] of Object.entries({ code, state: given('state'), iss: url }))
      back.searchParams.set(name, value)
    return { status: 302, location: back.href }
  }

  const server = createServer(async (incoming, response) => {
    const reply = await replyTo(incoming)
    const { status, location, body } = reply
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(location === undefined ? {} : { location }),
    })
    response.end(JSON.stringify(body))
  })
  const replyTo = async (incoming: IncomingMessage): Promise<Reply> => {
    const asked = new URL(incoming.url ?? '/', url)
    switch (asked.pathname) {
      case '/.well-known/oauth-authorization-server':
        return { status: 200, body: metadataOf(url) }
      case '/register': {
        registrations += 1
        const client = JSON.parse(await text(incoming))
        return { status: 201, body: { ...client, client_id: `client-${registrations}` } }
      }
      case '/authorize':
        return authorize(asked, url)
      case '/token':
        return exchange(Object.fromEntries(new URLSearchParams(await text(incoming))))
      default:
        return { status: 404 }
    }
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url,
    tokenRequests,
    get registrations() {
      return registrations
    },
    personOf: authorization => access.get(authorization?.replace(/^Bearer /, '') ?? ''),
    expireAccess: () => access.clear(),
    revokeAll() {
      access.clear()
      refresh.clear()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface Reply {
  readonly status: number
  readonly location?: string
  readonly body?: unknown
}

const invalidGrant: Reply = { status: 400, body: { error: 'invalid_grant' } }

function metadataOf(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }
}

function randomHex(): string {
  return randomBytes(8).toString('hex')
}
