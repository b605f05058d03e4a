import { shorten } from '@throughline/protocol/internal'

/** What the observers of a channel are told when a tool starts. */
export interface ToolStartEvent {
  readonly runId: string
  readonly stream: 'tool'
  readonly data: {
    readonly phase: 'start'
    readonly name: string
    readonly toolCallId: string
    readonly args: unknown
  }
}

export interface ToolStartPorts {
  readonly runId: string
  /** Shows in the channel that something is going on. Nobody waits for it. */
  readonly showTyping: () => unknown
  /** Sends a line about the call. What comes after it waits until the channel has taken it. */
  readonly showSummary?: ((meta: ToolMeta) => unknown) | undefined
  /** Tells the observers. Nobody waits for them. */
  readonly onEvent?: ((event: ToolStartEvent) => unknown) | undefined
  readonly debug: (message: string) => void
}

/**
 * Tells everybody that a tool has started. The text before it was sent by now. A failure is only a debug message: the
 * tool runs elsewhere and must not be disturbed. Never rejects.
 */
export async function tellToolStart(tool: StartedTool, meta: ToolMeta, ports: ToolStartPorts): Promise<void> {
  const { runId, showTyping, showSummary, onEvent, debug } = ports
  const { toolCallId, toolName: name, args } = tool
  const attempt = async (what: string, act: () => unknown) => {
    try {
      await act()
    } catch (error) {
      debug(`Tool ${name} has started, but ${what} failed: ${String(error)}`)
    }
  }
  // A message takes the typing indicator away. So it is shown again, after the text.
  void attempt('showing that it works', showTyping)
  void attempt('telling the observers', () =>
    onEvent?.({ runId, stream: 'tool', data: { phase: 'start', name, toolCallId, args } }),
  )
  await attempt('showing its summary', () => showSummary?.(meta))
}

/** A tool that was called. */
interface StartedTool {
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
