declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** Whose chats these are. Every row and every log belongs to exactly one owner. */
export type OwnerId = Branded<'OwnerId'>
/** Chosen by the application; unique per owner. */
export type ChatId = Branded<'ChatId'>
/** Chosen by the client for user messages and by the server for answers; unique per chat. */
export type MessageId = Branded<'MessageId'>
export type RunId = Branded<'RunId'>

const idPattern = /^[A-Za-z0-9_.:-]{1,128}$/

export const idRule =
  'An id has 1 to 128 characters from A-Z, a-z, 0-9, "_", ".", ":" and "-", and is not "." or ".."'

// "." and ".." match the pattern, but no URL can carry them as a path segment.
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value) && value !== '.' && value !== '..'
}

export const isOwnerId = (value: unknown): value is OwnerId => isId(value)
export const isChatId = (value: unknown): value is ChatId => isId(value)
export const isMessageId = (value: unknown): value is MessageId => isId(value)
export const isRunId = (value: unknown): value is RunId => isId(value)

/** Random hexadecimal digits. `randomUUID` would not do: browsers have it on https and localhost only. */
export function randomHex(byteCount: number): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(byteCount))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Makes ids such as `msg_0f8c…`; the prefix tells a reader of a log what kind of id it is. */
export function createId<Id extends string>(isKind: (value: unknown) => value is Id, prefix: string): Id {
  const id = `${prefix}_${randomHex(16)}`
  if (!isKind(id)) throw new TypeError(`The id prefix "${prefix}" is not allowed. ${idRule}.`)
  return id
}
