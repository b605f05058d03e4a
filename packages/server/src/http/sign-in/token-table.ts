import { hash } from 'node:crypto'
import type { OwnerId } from '@throughline/protocol'

/** The owner of each token: those of the whole life of the server, or a function that returns those that are valid now. */
export type Tokens = ReadonlyMap<string, OwnerId> | (() => ReadonlyMap<string, OwnerId>)

/**
 * Finds the owner of a token by its SHA-256 digest. So a look-up costs the same with one person as with thousands, and its
 * time says nothing about how much of a guess is right: nobody can choose what a digest begins with.
 */
export class TokenTable {
  readonly #current: () => ReadonlyMap<string, OwnerId>
  /** The tokens that `#owners` was made from. */
  #read: ReadonlyMap<string, OwnerId> = new Map()
  #owners: ReadonlyMap<string, OwnerId> = new Map()

  constructor(tokens: Tokens) {
    this.#current = typeof tokens === 'function' ? tokens : () => tokens
  }

  /** Returns the owner of the token in an `authorization` header, if the token is known. */
  ownerOf(authorization = ''): OwnerId | undefined {
    const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? []
    return token === undefined ? undefined : this.#digests().get(digestOf(token))
  }

  /** The digests are computed once for each map. */
  #digests(): ReadonlyMap<string, OwnerId> {
    const tokens = this.#current()
    if (tokens !== this.#read) {
      this.#owners = new Map([...tokens].map(([token, ownerId]) => [digestOf(token), ownerId]))
      this.#read = tokens
    }
    return this.#owners
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}

/** Returns whether nobody was given a token. Tokens that come from a function may come later. */
export function areNone(tokens: Tokens | undefined): boolean {
  return tokens === undefined || (typeof tokens !== 'function' && tokens.size === 0)
}
