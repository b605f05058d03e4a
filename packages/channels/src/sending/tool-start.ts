import type { StartedTool, ToolMeta } from '../reading/tool-meta.ts'

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
