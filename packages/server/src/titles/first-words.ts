import { type Message, textOf } from '@throughline/protocol'

const maxTitleLength = 80

/** Returns the first title of a chat: the beginning of its first message, or the name of a file in it. */
export function titleOf(message: Message): string {
  return titleFrom(textOf(message) || fileNameIn(message))
}

/** Returns the beginning of a text, on one line. */
export function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= maxTitleLength ? line : `${characters.slice(0, maxTitleLength - 1).join('')}…`
}

/** Returns the name of the first file that has one, for a message without text. */
function fileNameIn({ parts }: Message): string {
  return parts.flatMap(part => (part.type === 'file' ? (part.filename ?? []) : []))[0] ?? ''
}
