import { isRecord } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { assertShown } from '../run/assert-may-act.ts'
import { ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import type {
  ClaudeMessage,
  ClaudePermission,
  ClaudePrompt,
  ClaudeQuery,
  ClaudeSettings,
  ClaudeToolContext,
} from './claude-query.ts'
import { ClaudeReader } from './claude-reader.ts'
import { chatPrompt, isSessionProblem, type SessionStart, sessionStarts } from './sessions.ts'

export interface FromClaudeAgentSdkOptions<Options extends object>
  extends Omit<KeyedAgent, 'run' | 'model' | 'continues'> {
  /** The options of `query`. A function is called once for each answer. Here `currentFrame()` says who asks. */
  readonly options?: Options | ((request: AgentRequest) => Options | Promise<Options>) | undefined
}

/**
 * Makes an agent of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`), whose `query` is passed. Text, thinking, tool
 * calls, permissions, errors and usage come through, and a stop ends Claude Code. Each answer is a session of the SDK,
 * which goes on from the session of the agent's answer before. In an object of agents, its name is its key. Throws a
 * `TypeError` without `query`, and for an option that the adapter sets itself.
 *
 * @public
 */
export function fromClaudeAgentSdk<Options extends object>(
  query: ClaudeQuery<Options>,
  given: FromClaudeAgentSdkOptions<Options> = {},
): KeyedAgent {
  const { options, ...settings } = given
  if (typeof query !== 'function')
    throw new TypeError('fromClaudeAgentSdk needs the function "query" of @anthropic-ai/claude-agent-sdk.')
  if (typeof options === 'object') assertFree(options)
  const source: Source = {
    query: { call: query },
    optionsFor: async request => (typeof options === 'function' ? await options(request) : (options ?? {})),
    maxSteps: settings.maxSteps,
  }
  return {
    ...settings,
    // A spread would read a getter only once.
    get isEnabled() {
      return given.isEnabled
    },
    run: request => runClaude(source, request),
  }
}

interface Source {
  /** A method, because its options are known to be of the SDK only where the application writes them. */
  readonly query: {
    call(call: { prompt: AsyncIterable<ClaudePrompt>; options?: object }): AsyncIterable<ClaudeMessage>
  }
  readonly optionsFor: (request: AgentRequest) => Promise<object>
  readonly maxSteps: number | undefined
}

const ownOptions = ['abortController', 'continue', 'forkSession', 'resume', 'resumeSessionAt', 'sessionId']

function assertFree(options: object): void {
  const taken = ownOptions.find(name => name in options)
  if (taken !== undefined)
    throw new TypeError(
      `fromClaudeAgentSdk: the option "${taken}" is set for each answer, from the chat. Leave it out.`,
    )
}

async function* runClaude(
  source: Source,
  request: AgentRequest,
): AsyncGenerator<AgentEvent, void, undefined> {
  const given = await source.optionsFor(request)
  assertFree(given)
  const keepsSessions = !('persistSession' in given && given.persistSession === false)
  for (const start of sessionStarts(request.messages, keepsSessions)) {
    const hasBegun = yield* runQuery({ source, given, start }, request)
    if (hasBegun) return
  }
}

interface Attempt {
  readonly source: Source
  readonly given: object
  readonly start: SessionStart
}

/** Returns false, without any event, when there is no such session. */
async function* runQuery(
  { source, given, start }: Attempt,
  request: AgentRequest,
): AsyncGenerator<AgentEvent, boolean, undefined> {
  const controller = new AbortController()
  const reader = new ClaudeReader({
    countUsage: request.countUsage ?? (() => undefined),
    isFresh: start.resume === undefined,
  })
  const stop = () => {
    controller.abort(request.signal.reason)
    // At once: nobody reads the end of an answer that was stopped.
    reader.countOpenCall()
  }
  request.signal.addEventListener('abort', stop)
  if (request.signal.aborted) stop()
  try {
    const options = { ...given, ...settingsFor({ source, given, start }, controller) }
    for await (const message of source.query.call({ prompt: only(chatPrompt(start.unread)), options })) {
      if (!reader.hasBegun && isSessionProblem(errorsIn(message))) return false
      for (const event of reader.read(message)) yield event
    }
    for (const event of reader.finish()) yield event
  } catch (error) {
    if (!reader.hasBegun && error instanceof Error && isSessionProblem(error.message)) return false
    // After a result that is an error, the SDK throws, too.
    for (const event of reader.finish(error)) yield event
  } finally {
    request.signal.removeEventListener('abort', stop)
    controller.abort()
  }
  return true
}

function settingsFor({ source, given, start }: Attempt, abortController: AbortController): ClaudeSettings {
  const frame = currentFrame()
  const { resume, sessionId } = start
  const own: Readonly<Record<string, unknown>> = { ...given }
  const most = [own['maxTurns'], source.maxSteps, frame.run.limits.maxSteps]
  return {
    abortController,
    includePartialMessages: true,
    // They are not shown. But they say what sub-agents use.
    forwardSubagentText: true,
    // Otherwise "@/path" in a message of a person would read a file of the server, and "/name" would run a command.
    verbatimPrompts: own['verbatimPrompts'] !== false,
    maxTurns: Math.min(...most.filter(each => typeof each === 'number')),
    canUseTool: own['canUseTool'] ?? askPermission(frame),
    ...(resume !== undefined && { resume, forkSession: true }),
    ...defined({ sessionId }),
  }
}

async function* only(prompt: ClaudePrompt): AsyncGenerator<ClaudePrompt, void, undefined> {
  yield prompt
}

function errorsIn(message: ClaudeMessage): string {
  const errors = isRecord(message) ? message['errors'] : undefined
  return Array.isArray(errors) ? errors.join('\n') : ''
}

/** Returns the `canUseTool` of one answer: a person decides about each call that the SDK does not allow by itself. */
function askPermission(caller: AgentFrame) {
  return async (
    toolName: string,
    input: Record<string, unknown>,
    { toolUseID: toolCallId, agentID }: ClaudeToolContext,
  ): Promise<ClaudePermission> => {
    // The call of a sub-agent is not shown, so nobody can see what they would approve.
    if (agentID !== undefined) return { behavior: 'deny', message: ofSubAgent(toolName) }
    if (toolName === 'AskUserQuestion') return { behavior: 'deny', message: noForms }
    const call = { toolCallId, toolName, input }
    const frame = { ...caller, callId: await caller.writer.called(toolCallId, toolName) }
    try {
      assertShown(input, frame.run.limits.maxToolOutputBytes)
      await waitForApproval(frame, call)
      return { behavior: 'allow', updatedInput: input }
    } catch (error) {
      if (frame.signal.aborted && !(error instanceof ToolDenied)) throw error
      return { behavior: 'deny', message: error instanceof Error ? error.message : String(error) }
    }
  }
}

function ofSubAgent(toolName: string): string {
  return `The tool ${toolName} needs approval, which nobody can give to a sub-agent here. Do without it, or let the main agent call it.`
}

const noForms = 'Nobody can answer this form here. Ask in the text of your answer, and end your turn.'
