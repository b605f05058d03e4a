import type { AgentInfo, ChatId, MessageId, OwnerId, RunId } from '@throughline/protocol'
import { currentFrame } from '../run/agent-frame.ts'
import { activeTabOf, type Mode, type Tab } from '../run/request-context.ts'
import { sniffPicture } from '../values/sniff-picture.ts'

/** What a tool knows about its call: the person, the chat, the run and the agent. */
export interface ToolContext {
  /** Whose chat it is: a user of `THROUGHLINE_TOKENS`, an `ownerId` of `authenticate`, or else `local`. */
  readonly ownerId: OwnerId
  /** The chat in which the tool works. */
  readonly chatId: ChatId
  /** The run: all the work on one answer, with that of sub-agents. */
  readonly runId: RunId
  /** The message that contains the tool's call: the answer, or the message of a sub-agent. */
  readonly messageId: MessageId
  /** The id of the tool's call on the stream. */
  readonly toolCallId: string
  /**
   * Names this call for other systems: `runId:toolCallId`. When the call of an idempotent tool is repeated after a crash,
   * the key is the same.
   */
  readonly idempotencyKey: string
  /** The agent that calls the tool. `path` is the lineage: the names from the master down to this agent. */
  readonly agent: AgentInfo
  /**
   * The workspace in which the person is. This and the next three fields come from the page, and a page can say
   * anything: do not use them to decide what is allowed.
   */
  readonly workspaceId: string | undefined
  /** The tab in which the person is. `undefined` when the page did not say it. */
  readonly tab: Tab | undefined
  /** All tabs that the person has open. */
  readonly tabs: readonly Tab[]
  /** How much agents may do in this tab: `settings`, `chat` or `browse`, from least to most. */
  readonly mode: Mode
  /** Aborts when the agent is stopped. */
  readonly signal: AbortSignal
  /** The clock of the run. */
  now(): Date
  /** Sends a `data-ui-event` to the pages that are open now. It is not saved. Resolves when the log has room for more. */
  sendToPage(data: unknown): Promise<void>
}

/**
 * Returns what a tool knows about its call. Call it in the code of a tool, also after an `await`. Throws outside of a
 * tool.
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
    idempotencyKey: `${runId}:${toolCallId}`,
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

/** A picture that is a file of the chat. */
export interface KeptPicture {
  /** Its address on the server. Only the chat's owner can read it. In a tool's output, pages show it as a picture. */
  readonly picture: string
  /** Such as `image/png`. */
  readonly mediaType: string
  /** In pixels. */
  readonly width: number
  /** In pixels. */
  readonly height: number
}

/**
 * Saves a picture as a file of the chat: PNG, JPEG, WebP or GIF, up to 10 MB each, and up to 100 in one answer. Call it in
 * a tool, and put the result into the tool's output. Then pages show the picture, channels send it, and the model reads
 * that there is a picture. Rejects when the bytes are no such picture, when a limit is reached, and outside of a run.
 *
 * @public
 */
export async function keepPicture(bytes: Uint8Array): Promise<KeptPicture> {
  const facts = sniffPicture(bytes)
  if (facts === undefined)
    throw new TypeError(
      'keepPicture: these bytes are not a PNG, JPEG, WebP or GIF picture. Convert it first.',
    )
  const picture = await currentFrame().run.keepFile({ mediaType: facts.mediaType, bytes })
  return { picture, ...facts }
}
