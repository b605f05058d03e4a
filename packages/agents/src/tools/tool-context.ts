import type { AgentInfo, ChatId, MessageId, OwnerId, RunId } from '@throughline/protocol'
import { currentFrame } from '../run/agent-frame.ts'
import type { Mode } from '../run/mode.ts'
import { activeTabOf, type Tab } from '../run/request-context.ts'

/** For whom and where a tool works. */
export interface ToolContext {
  /** Whose chat it is: a user of `THROUGHLINE_TOKENS`, or `local` without tokens. */
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  /** The run: all the work on one answer, with that of sub-agents. */
  readonly runId: RunId
  /** The message that contains the tool's call: the answer, or the message of a sub-agent. */
  readonly messageId: MessageId
  /** The id of the tool's call on the stream. */
  readonly toolCallId: string
  /** The agent that calls the tool. `path` is the lineage: the names from the master down to this agent. */
  readonly agent: AgentInfo
  /** Where the person was. The page says so, and a page can say anything: do not use it to decide what is allowed. */
  readonly workspaceId: string | undefined
  readonly tab: Tab | undefined
  readonly tabs: readonly Tab[]
  readonly mode: Mode
  /** Aborts when the agent is stopped. */
  readonly signal: AbortSignal
  /** The clock of the run. */
  now(): Date
  /** Sends something to the pages that are open now. It is not saved. */
  sendToPage(data: unknown): Promise<void>
}

/**
 * Returns for whom and where a tool works. Call it in the code of a tool, also after an `await`. Throws outside of a tool.
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
