// What the routes for sharing a chat send to a page.

import { isString } from '../values/fields.ts'
import { type BodyCheck, bodyCheck, isNumber, listOf } from './body-check.ts'
import { isMessagesBody, type MessagesBody } from './chat-bodies.ts'

/** A link to a copy of a chat: what `POST /api/chats/:id/share` returns. */
export interface ShareLink {
  readonly key: string
  /** Below the base path of the server. */
  readonly path: string
  /** In ISO format. */
  readonly createdAt: string
  readonly messageCount: number
}

/** Returns whether a value is a link to a copy of a chat. */
export const isShareLink: BodyCheck<ShareLink> = bodyCheck<ShareLink>({
  key: isString,
  path: isString,
  createdAt: isString,
  messageCount: isNumber,
})

/** What `GET /api/chats/:id/share` returns, newest first. */
export interface ShareLinks {
  readonly links: readonly ShareLink[]
}

/** Returns whether a value is what `GET /api/chats/:id/share` returns. */
export const isShareLinks: BodyCheck<ShareLinks> = bodyCheck<ShareLinks>({ links: listOf(isShareLink) })

/** A copy of a chat that somebody shares, besides its messages. */
export interface SharedFacts {
  readonly title: string
  /** In ISO format. */
  readonly sharedAt: string
}

/** What `GET /api/shared/:key` returns. */
export interface SharedChat extends SharedFacts, MessagesBody {}

const isSharedFacts = bodyCheck<SharedFacts>({ title: isString, sharedAt: isString })

/** Returns whether a value is what `GET /api/shared/:key` returns. */
export function isSharedChat(value: unknown): value is SharedChat {
  return isSharedFacts(value) && isMessagesBody(value)
}
