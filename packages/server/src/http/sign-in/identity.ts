import { idRule, isOwnerId, type OwnerId } from '@throughline/protocol'
import { z } from 'zod'
import type { Sender } from '../../who/sender.ts'
import type { Tokens, TokenTable } from './token-table.ts'

/** A person, as the application knows them. */
export interface Identity {
  /** Whose chats they are: 1 to 128 letters, digits, `_`, `.`, `:` and `-`. Each person sees only their own chats. */
  readonly ownerId: string
  /** The name of the sender in messages that name none. */
  readonly displayName?: string | undefined
  /** For your own tools and agents, which read them as `currentFrame().run.roles`. The server does not read them. */
  readonly roles?: readonly string[] | undefined
  /**
   * The keys of the tools that agents may use for this person. `*` stands for all tools; to delegate, agents need
   * `subAgent`. Default: all.
   */
  readonly tools?: readonly string[] | undefined
}

/**
 * Finds out who sends a request. The request has no body. Returns `undefined` when nobody is signed in. The `signal` of the
 * request aborts when the answer takes too long, or when nobody waits for it any more.
 */
export type Authenticate = (request: Request) => Identity | undefined | Promise<Identity | undefined>

/** How the sender of a request is known. */
export interface IdentifyOptions {
  readonly tokens: TokenTable
  /** There are no tokens and no `authenticate`, so everybody who reaches the server is the one local owner. */
  readonly isForAll: boolean
  /** Finds out who sends a request that has no known token. */
  readonly authenticate?: Authenticate | undefined
  /** How long `authenticate` may take, in milliseconds. Default: 10,000. */
  readonly authenticateMs?: number | undefined
}

/** Who sends a request, after all checks. */
export interface Identified {
  readonly ownerId: OwnerId
  readonly sender: Sender
}

/** Thrown when the application's `authenticate` fails, or returns something that is no identity. For the log only. */
export class AuthenticateError extends Error {
  override readonly name = 'AuthenticateError'
}

// A misspelled field is refused: `tool` instead of `tools` would permit everything.
const identitySchema = z.strictObject({
  ownerId: z.custom<OwnerId>(isOwnerId, { error: `it is not allowed. ${idRule}.` }),
  displayName: z.string().optional(),
  roles: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
})

/** Checks what `authenticate` has returned. Throws an `AuthenticateError` that names the field. */
export function identifiedFrom(value: unknown): Identified {
  const result = identitySchema.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : ` in "${issue.path.join('.')}"`
    throw new AuthenticateError(`authenticate returned a wrong identity${where}: ${issue?.message}`)
  }
  const { ownerId, ...about } = result.data
  return { ownerId, sender: senderFrom(about) }
}

/** Returns what a run needs to know of a person. */
export function senderFrom({ displayName, roles = [], tools }: Omit<Identity, 'ownerId'>): Sender {
  const isLimited = tools !== undefined && !tools.includes('*')
  return { displayName, roles, permittedTools: isLimited ? new Set(tools) : undefined }
}

interface OperatorOptions {
  readonly operators?: readonly string[] | undefined
  readonly tokens?: Tokens | undefined
  readonly authenticate?: Authenticate | undefined
}

/**
 * Returns a function that says who is an operator: who may see how the server itself is doing. If the options name none,
 * the only person of the server is one. Among several people, nobody is.
 */
export function operatorsOf({
  operators,
  tokens = new Map(),
  authenticate,
}: OperatorOptions): (ownerId: OwnerId) => boolean {
  if (operators !== undefined) {
    const named = new Set(operators)
    return ownerId => named.has(ownerId)
  }
  if (authenticate !== undefined) return () => false
  return () => isOnePerson((typeof tokens === 'function' ? tokens() : tokens).values())
}

/** Looks at no more owners than it takes to find a second one. */
function isOnePerson(owners: Iterable<OwnerId>): boolean {
  let first: OwnerId | undefined
  for (const owner of owners) {
    if (first !== undefined && owner !== first) return false
    first = owner
  }
  return true
}
