import type { ChatId, MessageId, OwnerId, RunId } from '@throughline/protocol/ids'
import type { AgentInfo } from '@throughline/protocol/metadata'
import { currentFrame } from '../run/agent-frame.ts'
import type { Mode } from '../run/mode.ts'
import { activeTabOf, type Tab } from '../run/request-context.ts'

/** For whom and where a tool works. */
export interface ToolContext {
  /** Whose chat it is: a user of `THROUGHLINE_TOKENS`, or `local` without tokens. */
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  /** The run: the making of one answer, sub-agents included. */
  readonly runId: RunId
  /** The message in which the tool's call stands: the answer's, or a sub-agent's own. */
  readonly messageId: MessageId
  /** The tool's call, as readers see it on the stream. */
  readonly toolCallId: string
  /** The agent that calls: its name, its depth, and in `path` everybody from the master down to it. */
  readonly agent: AgentInfo
  /** What the page said about where the person was. It can be anything, so use it to find things, never to allow them. */
  readonly workspaceId: string | undefined
  readonly tab: Tab | undefined
  readonly tabs: readonly Tab[]
  readonly mode: Mode
  /** Aborts when the agent is stopped. */
  readonly signal: AbortSignal
  /** The clock of the run. */
  now(): Date
  /** Tells the pages that look on something, now, after they have heard of the call. It is not saved. */
  sendToPage(data: unknown): Promise<void>
}

/**
 * For the code of a tool: who is asking, and where. Works while the tool is called, also after an `await`. Throws when it
 * is called outside of a tool.
 *
 * @public
 */
export function toolContext(): ToolContext {
  const { run, agent, messageId, callId: toolCallId, mode, signal, writer } = currentFrame()
  const { ownerId, chatId, runId, context } = run
  if (toolCallId === undefined)
    throw new Error('toolContext() works only in the code of a tool, while it is called.')
  return {
    ownerId,
    chatId,
    runId,
    messageId,
    toolCallId,
    agent,
    workspaceId: context.workspaceId,
    tab: activeTabOf(context),
    tabs: context.tabs,
    mode,
    signal,
    now: () => run.now(),
    sendToPage: data => writer.write({ type: 'ui-event', data }),
  }
}
