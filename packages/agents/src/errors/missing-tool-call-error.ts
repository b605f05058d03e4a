/**
 * A tool was called, but its agent does not yield the `tool-call` event of the call. The tool has not begun: readers look
 * for what a tool writes under its call.
 */
export class MissingToolCallError extends Error {
  override readonly name = 'MissingToolCallError'
  readonly code = 'missing-tool-call'
  readonly toolName: string
  readonly toolCallId: string

  constructor(toolName: string, toolCallId: string) {
    super(
      `The tool "${toolName}" was called with the id "${toolCallId}", but its agent has not yielded a "tool-call" event ` +
        "with this id. Yield it before you call the tool: { type: 'tool-call', toolCallId, toolName, input }.",
    )
    this.toolName = toolName
    this.toolCallId = toolCallId
  }
}
