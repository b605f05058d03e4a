declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** Whose chats these are. Every row and every log belongs to exactly one owner. */
export type OwnerId = Branded<'OwnerId'>
/** Chosen by the application; unique per owner. */
export type ChatId = Branded<'ChatId'>
/** Chosen by the client for user messages and by the server for answers; unique per chat. */
export type MessageId = Branded<'MessageId'>
export type RunId = Branded<'RunId'>

// No URL can carry "." or ".." as a path segment.
export const idPattern = /^(?!\.\.?$)[\w.:-]{1,128}$/

export const idRule =
  'An id has 1 to 128 characters from A-Z, a-z, 0-9, "_", ".", ":" and "-", and is not "." or ".."'

export function isId<Id extends string = string>(value: unknown): value is Id {
  return typeof value === 'string' && idPattern.test(value)
}

export const isOwnerId = isId<OwnerId>
export const isChatId = isId<ChatId>
export const isMessageId = isId<MessageId>
export const isRunId = isId<RunId>

/** Random hexadecimal digits. `randomUUID` would not do: browsers have it on https and localhost only. */
export function randomHex(byteCount: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount))
  return bytes.reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), '')
}

/** Makes ids such as `msg_0f8c…`; the prefix tells a reader of a log what kind of id it is. */
export function createId<Id extends string>(isKind: (value: unknown) => value is Id, prefix: string): Id {
  const id = `${prefix}_${randomHex(16)}`
  if (!isKind(id)) throw new TypeError(`The id prefix "${prefix}" is not allowed. ${idRule}.`)
  return id
}
