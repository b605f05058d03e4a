import { shorten } from '@throughline/protocol/internal'

/** A tool that was called. */
export interface StartedTool {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
}

/** What a person is told about a tool call. */
export interface ToolMeta {
  /** The position of the call among the tool calls of its run, from 1. */
  readonly number: number
  /** One line, such as `web_fetch: example.com/news`: the tool, and what the call is about if the arguments tell. */
  readonly summary: string
}

export function inferToolMeta({ toolName, args }: StartedTool, number: number): ToolMeta {
  const subject = subjectOf(args)
  return { number, summary: subject === undefined ? toolName : `${toolName}: ${subject}` }
}

// Only arguments that are known to say what a call is about. Others could be long or secret.
const subjectKeys = [
  'path',
  'file',
  'filePath',
  'url',
  'query',
  'question',
  'pattern',
  'agent',
  'city',
  'title',
]
const maxSubjectChars = 80

function subjectOf(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(args))
  for (const key of subjectKeys) {
    const value = fields.get(key)
    if (typeof value === 'string' && value.trim() !== '')
      return shorten(oneLine(key === 'url' ? address(value) : value), maxSubjectChars)
  }
  return undefined
}

/** Returns a URL without its query, which may contain a token. */
function address(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
