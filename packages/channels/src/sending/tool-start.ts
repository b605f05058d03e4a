import { type ReplyState, recordTool } from '../reading/reply-state.ts'
import { inferToolMeta, type ToolCall, type ToolMeta } from '../reading/tool-meta.ts'
import { type StartTimer, startTimer } from './start-timer.ts'

/** What the page is told when a tool starts. */
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
  /** Asks whoever sends the blocks to send all that waits. At once, so that it comes before what the tool sends. */
  readonly onBlockReplyFlush: () => Promise<void>
  /** Shows in the channel that something is going on, after the text. Nobody waits for it. */
  readonly showTyping?: () => unknown
  readonly emit: (event: ToolStartEvent) => unknown
  /** Shows a call's summary; asked for once per call. */
  readonly showSummary?: (meta: ToolMeta) => unknown
  /** How long the event waits for the text before it. */
  readonly timeoutMs?: number
  readonly debug?: (message: string) => void
  readonly startTimer?: StartTimer
}

export interface StartedTool {
  readonly state: ReplyState
  /** When everything was told. Never rejects, and the tool need not wait for it. */
  readonly told: Promise<void>
}

/**
 * A tool starts: first the text that waits is sent, then the channel shows that something is going on, then the
 * tool's summary is shown, then the page is told. All of that goes on beside the tool: the new state is there at once, and what fails is a debug message and nothing else.
 */
export function startTool(before: ReplyState, call: ToolCall, ports: ToolStartPorts): StartedTool {
  const meta = inferToolMeta(call)
  const isNew = !before.toolSummaryById.has(call.toolCallId)
  const told = tell({ call, meta: isNew ? meta : undefined }, ports)
  return { state: isNew ? recordTool(before, meta) : before, told }
}

interface Telling {
  readonly call: ToolCall
  /** Missing when the summary was shown before. */
  readonly meta: ToolMeta | undefined
}

async function tell({ call, meta }: Telling, ports: ToolStartPorts): Promise<void> {
  const { runId, emit, showSummary, showTyping, debug = () => {} } = ports
  const attempt = async (what: string, act: () => unknown) => {
    try {
      await act()
    } catch (error) {
      debug(`Tool ${call.toolName} has started, but ${what} failed: ${String(error)}`)
    }
  }
  const { toolCallId, toolName: name, args } = call
  await attempt('sending the text before it', () => inTime(ports))
  // A message takes the indicator away, so it is shown again after the text. It may take for ever.
  void attempt('showing that it works', () => showTyping?.())
  if (meta !== undefined) await attempt('showing its summary', () => showSummary?.(meta))
  await attempt('telling the page', () =>
    emit({ runId, stream: 'tool', data: { phase: 'start', name, toolCallId, args } }),
  )
}

async function inTime(ports: ToolStartPorts): Promise<void> {
  const { onBlockReplyFlush, timeoutMs = 15_000, startTimer: start = startTimer } = ports
  const { promise: late, reject } = Promise.withResolvers<never>()
  const stopTimer = start(() => reject(new Error(`it took more than ${timeoutMs} ms.`)), timeoutMs)
  try {
    await Promise.race([onBlockReplyFlush(), late])
  } finally {
    stopTimer()
  }
}
