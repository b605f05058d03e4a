import { isFilePart, isToolPart, type Message, type Part, toolInput, toolNameOf } from '@throughline/protocol'
import type { Words } from '../../words/first/en.ts'

interface ExportedChat {
  readonly title: string
  readonly messages: readonly Message[]
}

/** Returns a chat as Markdown: who said what, and what tools were called with. Thinking is left out. */
export function chatMarkdown({ title, messages }: ExportedChat, words: Words): string {
  const sections = messages.map(message => {
    const name = message.metadata?.senderName || (message.role === 'user' ? words.you : words.agent)
    const time = message.metadata?.createdAt
    const parts = message.parts.map(partMarkdown).filter(text => text !== '')
    return [`## ${oneLine(name)}`, ...(time === undefined ? [] : [`*${time}*`]), ...parts].join('\n\n')
  })
  return `${[`# ${oneLine(title)}`, ...sections].join('\n\n')}\n`
}

function partMarkdown(part: Part): string {
  if (part.type === 'text') return part.text.trim()
  if (isFilePart(part)) return `[${oneLine(part.filename ?? part.mediaType)}](<${encodeURI(part.url)}>)`
  if (!isToolPart(part)) return ''
  const output = part.state === 'output-available' ? [part.output] : []
  return [`**${oneLine(toolNameOf(part))}**`, ...[toolInput(part), ...output].map(fenced)].join('\n\n')
}

/** Returns a value as a block of code. Its fence is longer than every row of backticks inside. */
function fenced(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${typeof value === 'string' ? '' : 'json'}\n${text}\n${fence}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
