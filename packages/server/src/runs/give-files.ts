import { type ChatKey, type FilePart, isFilePart, type Message, type Part } from '@throughline/protocol'
import { FileBytesError, type Store } from '@throughline/store'
import { maxGivenBytes } from './attachment-limits.ts'
import { isTextType } from './file-types.ts'
import { filesAddress } from './keep-file.ts'

type FileStore = Pick<Store, 'files'>

/**
 * Returns messages for an agent, with the contents of the users' files in them. A model cannot read the addresses of this
 * server. Text files become text, and all other files become data URLs. When the files are too large together, the oldest
 * are left out, and a note says so.
 */
export async function giveFiles(
  store: FileStore,
  chat: ChatKey,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const given: Message[] = []
  const room = { bytes: maxGivenBytes }
  for (const message of messages.toReversed()) given.push(await withContents(store, { chat, room }, message))
  return given.toReversed()
}

interface Giving {
  readonly chat: ChatKey
  /** How many bytes may still be given. */
  readonly room: { bytes: number }
}

async function withContents(store: FileStore, giving: Giving, message: Message): Promise<Message> {
  if (message.role !== 'user' || !message.parts.some(isFilePart)) return message
  const parts: Part[] = []
  for (const part of message.parts) {
    if (isFilePart(part)) parts.push(await contentOf(store, giving, part))
    // Stock clients send an empty text beside files, and some providers refuse an empty text.
    else if (part.type !== 'text' || part.text.trim() !== '') parts.push(part)
  }
  return { ...message, parts }
}

async function contentOf({ files }: FileStore, { chat, room }: Giving, part: FilePart): Promise<Part> {
  const name = part.filename === undefined ? 'A file' : `The file ${JSON.stringify(part.filename)}`
  const folder = filesAddress(chat.chatId)
  const id = part.url.startsWith(folder) ? part.url.slice(folder.length) : ''
  const facts = await files.find(chat, id)
  if (facts === undefined) return note(`${name} is gone.`)
  if (facts.byteCount > room.bytes) return note(`${name} was sent earlier and is not repeated here.`)
  room.bytes -= facts.byteCount
  const file = await files.read(chat, id).catch(unreachable)
  if (file === 'unreachable') return note(`${name} cannot be read right now. Tell the person so.`)
  if (file === undefined) return note(`${name} is gone.`)
  const { mediaType } = file
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (isTextType(mediaType)) return { type: 'text', text: `${name} (${mediaType}):\n\n${bytes.toString()}` }
  return { ...part, mediaType, url: `data:${mediaType};base64,${bytes.toString('base64')}` }
}

/** The agent can still work with the rest of the chat. The store has told the operator. */
function unreachable(error: unknown): 'unreachable' {
  if (error instanceof FileBytesError) return 'unreachable'
  throw error
}

function note(text: string): Part {
  return { type: 'text', text: `[${text}]` }
}
