import { shorten } from '../cutting/shorten.ts'

export interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
}

/** What a person is told about a tool call. */
export interface ToolMeta {
  readonly toolCallId: string
  readonly toolName: string
  /** What it is about, as far as the arguments tell: a path, a question, a host. */
  readonly subject: string | undefined
  /** One line: `web_fetch: example.com/news`. */
  readonly summary: string
}

export function inferToolMeta({ toolCallId, toolName, args }: ToolCall): ToolMeta {
  const subject = subjectOf(args)
  return {
    toolCallId,
    toolName,
    subject,
    summary: subject === undefined ? toolName : `${toolName}: ${subject}`,
  }
}

// Only arguments that are known to say what a call is about: any other could be long or secret.
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

/** Without what comes after the path: it may carry a token. */
function address(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
