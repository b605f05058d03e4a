declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** The person, or the account, that chats belong to. Every row and every log has exactly one owner. */
export type OwnerId = Branded<'OwnerId'>
/** Names a chat. The application chooses it; it is unique per owner. */
export type ChatId = Branded<'ChatId'>
/** Names a message. The client chooses it for user messages, the server for answers; it is unique per chat. */
export type MessageId = Branded<'MessageId'>
/** Names a run: the work on one answer, with all its sub-agents. */
export type RunId = Branded<'RunId'>

/** Names one chat. Two owners may use the same chat id, so both ids are needed. To key a Map by it, use `logName`. */
export interface ChatKey {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
}

/** The pattern of all ids. "." and ".." are not allowed because no URL can have them as a path segment. */
export const idPattern = /^(?!\.\.?$)[\w.:-]{1,128}$/

/** The rule of `idPattern` in words, for error messages. */
export const idRule =
  'An id has 1 to 128 characters from A-Z, a-z, 0-9, "_", ".", ":" and "-", and is not "." or ".."'

/** Returns whether a value is allowed as an id. */
export function isId<Id extends string = string>(value: unknown): value is Id {
  return typeof value === 'string' && idPattern.test(value)
}

// Letters and digits of any script, with the marks that belong to them. Some letters are invisible, such as the filler U+3164:
// two names with and without one would look the same.
const agentNamePattern =
  /^(?!\.\.?$)(?!\p{M})(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}_.:-]{1,128}$/u

/** The rule of `isAgentName` in words, for error messages. */
export const agentNameRule =
  'A name has 1 to 128 characters: letters and digits of any script, "_", ".", ":" and "-". ' +
  'It is not "." or "..", begins with no combining mark, and has no invisible characters'

/**
 * Returns whether a value is allowed as the name of an agent: letters and digits of any script, in Unicode's normalisation
 * form C. Upper and lower case differ. What people send is normalised before it is compared.
 */
export function isAgentName(value: unknown): value is string {
  return typeof value === 'string' && agentNamePattern.test(value) && value === value.normalize('NFC')
}

/** These narrow the type of an id. All ids have the same form, so only the caller knows which kind it is. */
export const isOwnerId = isId<OwnerId>
/** Returns whether a value can be the id of a chat. */
export const isChatId = isId<ChatId>
/** Returns whether a value can be the id of a message. */
export const isMessageId = isId<MessageId>
/** Returns whether a value can be the id of a run. */
export const isRunId = isId<RunId>

/** Returns random hexadecimal digits. Not `randomUUID`, which browsers offer only on https and localhost. */
export function randomHex(byteCount: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount))
  return bytes.reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), '')
}

/**
 * Returns a new random id such as `msg_0f8c…`. The prefix tells a person who reads a log what kind of id it is. Throws
 * a `TypeError` when the prefix has characters that an id may not have.
 */
export function createId<Id extends string>(isKind: (value: unknown) => value is Id, prefix: string): Id {
  const id = `${prefix}_${randomHex(16)}`
  if (!isKind(id)) throw new TypeError(`The id prefix "${prefix}" is not allowed. ${idRule}.`)
  return id
}
