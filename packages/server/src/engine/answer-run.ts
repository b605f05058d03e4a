import type { Agent, AgentFrame, Limits } from '@throughline/agents'
import {
  type AgentOutcome,
  type ClientTool,
  continueAgent,
  type RequestContext,
  RunLeft,
  runAgent,
} from '@throughline/agents/internal'
import { LogError } from '@throughline/log'
import {
  type ChatKey,
  type EndStatus,
  type FilePart,
  isFilePart,
  type Message,
  type Part,
} from '@throughline/protocol'
import { FileBytesError, type Run, type Store } from '@throughline/store'
import type { Logger } from 'pino'
import { isTextType, maxGivenBytes } from '../files/file-types.ts'
import { filesAddress } from '../files/keep-file.ts'
import type { Sender } from '../who/sender.ts'
import type { ActiveRuns } from './active-runs.ts'
import { saveRun } from './end-run.ts'
import { openRun } from './open-run.ts'
import type { Resumption } from './resumption.ts'
import type { RunLog } from './run-log.ts'
import type { RunnerOptions } from './runner-options.ts'

interface AnsweringOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

interface Work {
  readonly agent: Agent
  readonly runLog: RunLog
  readonly context: RequestContext
  readonly sender: Sender
  /** The model that the person has chosen. Default: the model of the agent. */
  readonly model?: Agent['model']
  /** Tools that the request brought. */
  readonly clientTools?: readonly ClientTool[] | undefined
  readonly stop: AbortController
  /** Only for a run that goes on after a crash. */
  readonly resumption?: Resumption | undefined
}

/** Lets the agent write its answer, and saves the run. Returns how the run ended. */
export async function answerRun(options: AnsweringOptions, run: Run, work: Work): Promise<EndStatus> {
  const { store, system, logger, now } = options
  const { runLog, stop } = work
  const messages = await answerHistory(store, run, system.limits)
  await using opened = openRun({ ...options, ...work, run })
  try {
    const outcome = await letAnswer(opened.frame, messages, work)
    const active = options.active.of(run)
    if (active?.run === run) active.isAnswered = true
    await saveRun(store, run, { runLog, at: now().toISOString() })
    logOutcome(logger, run, outcome)
    options.onAnswer?.(run, { agent: work.agent, status: outcome.status })
    return outcome.status
  } catch (error) {
    // A call that waits for an approval here must not withdraw it.
    if (goesOnLater(error, { store, stopped: stop.signal })) stop.abort(new RunLeft())
    throw error
  }
}

/** Returns when the whole answer is in the log. */
async function letAnswer(
  frame: AgentFrame,
  messages: readonly Message[],
  { agent, runLog, resumption }: Work,
): Promise<AgentOutcome> {
  const outcome =
    resumption === undefined
      ? await runAgent(agent, frame, { messages })
      : await continueAgent(agent, frame, { messages, ...resumption })
  await runLog.flush()
  return outcome
}

function logOutcome(logger: Logger, run: Run, { status, error }: AgentOutcome): void {
  const facts = { runId: run.id, chatId: run.chatId, agent: run.agent, status }
  if (error === undefined) logger.info(facts, 'run ended')
  else logger.warn({ ...facts, err: error }, 'run ended')
}

interface LaterOptions {
  readonly store: Pick<Store, 'isShared'>
  /** Aborts when the run is stopped. */
  readonly stopped: AbortSignal | undefined
}

/**
 * Returns whether a run that could not be written goes on later, so its writer must neither end it nor withdraw anything.
 * - Another process has the run now.
 * - The log does not end where its only writer has left it: a standby took over that lacks the newest entries. A sweep of
 *   this node finds that nobody works on the run, and goes on from what is left. A run that was stopped ends instead.
 */
export function goesOnLater(error: unknown, { store, stopped }: LaterOptions): boolean {
  if (isFenced(error)) return true
  const isStopped = stopped?.aborted === true && !(stopped.reason instanceof RunLeft)
  return !isStopped && hasLogChanged(error, store)
}

/**
 * Returns whether the log is not what it was when this process began to read it: a standby took over in the meantime, and
 * perhaps lacks the newest entries. Nothing is damaged: what is left can be read again.
 */
export function hasLogChanged(error: unknown, { isShared }: Pick<Store, 'isShared'>): boolean {
  return isShared && error instanceof LogError && ['wrong-end', 'unknown-position'].includes(error.code)
}

/** Returns whether an append was refused because another process has the run now. */
export function isFenced(error: unknown): boolean {
  return error instanceof LogError && error.code === 'fenced'
}

/** How much of a chat an agent is given. */
type HistoryLimits = Pick<Limits, 'maxHistoryMessages' | 'maxHistoryBytes'>

/**
 * Returns the messages that the agent of a run is given. They come from the store, never from the client: the branch
 * that the user's message is on, without the messages of sub-agents. If the branch is longer than the limits, its oldest
 * messages are left out. The user's files have their contents in them.
 */
async function answerHistory(
  store: Pick<Store, 'messages' | 'files'>,
  run: Run,
  { maxHistoryMessages, maxHistoryBytes }: HistoryLimits,
): Promise<readonly Message[]> {
  const { messages, hasOlder } = await store.messages.branch(run, run.userMessageId, {
    // The message that is answered comes on top of the earlier ones.
    maxMessages: maxHistoryMessages + 1,
    maxBytes: maxHistoryBytes,
  })
  return giveFiles(store, run, hasOlder ? fromFirstQuestion(messages) : messages)
}

/**
 * Some models refuse a conversation that begins with an answer. A message is given whole or not at all, so a tool call
 * always has its result with it.
 */
function fromFirstQuestion(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findIndex(({ role }) => role === 'user'))
}

type FileStore = Pick<Store, 'files'>

/**
 * Returns messages for an agent, with the contents of the users' files in them. A model cannot read the addresses of this
 * server. Text files become text, and all other files become data URLs. When the files are too large together, the oldest
 * are left out, and a note says so.
 */
async function giveFiles(
  store: FileStore,
  chat: ChatKey,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const given: Message[] = []
  const room = { bytes: maxGivenBytes }
  for (const message of messages.toReversed()) given.push(await withContents(store, { chat, room }, message))
  return given.toReversed()
}

interface Giving {
  readonly chat: ChatKey
  /** How many bytes may still be given. */
  readonly room: { bytes: number }
}

async function withContents(store: FileStore, giving: Giving, message: Message): Promise<Message> {
  if (message.role !== 'user' || !message.parts.some(isFilePart)) return message
  const parts: Part[] = []
  for (const part of message.parts) {
    if (isFilePart(part)) parts.push(await contentOf(store, giving, part))
    // Stock clients send an empty text beside files, and some providers refuse an empty text.
    else if (part.type !== 'text' || part.text.trim() !== '') parts.push(part)
  }
  return { ...message, parts }
}

async function contentOf({ files }: FileStore, { chat, room }: Giving, part: FilePart): Promise<Part> {
  const name = part.filename === undefined ? 'A file' : `The file ${JSON.stringify(part.filename)}`
  const folder = filesAddress(chat.chatId)
  const id = part.url.startsWith(folder) ? part.url.slice(folder.length) : ''
  const facts = await files.find(chat, id)
  if (facts === undefined) return note(`${name} is gone.`)
  if (facts.byteCount > room.bytes) return note(`${name} was sent earlier and is not repeated here.`)
  room.bytes -= facts.byteCount
  const file = await files.read(chat, id).catch(unreachable)
  if (file === 'unreachable') return note(`${name} cannot be read right now. Tell the person so.`)
  if (file === undefined) return note(`${name} is gone.`)
  const { mediaType } = file
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (isTextType(mediaType)) return { type: 'text', text: `${name} (${mediaType}):\n\n${bytes.toString()}` }
  return { ...part, mediaType, url: `data:${mediaType};base64,${bytes.toString('base64')}` }
}

/** The agent can still work with the rest of the chat. The store has told the operator. */
function unreachable(error: unknown): 'unreachable' {
  if (error instanceof FileBytesError) return 'unreachable'
  throw error
}

function note(text: string): Part {
  return { type: 'text', text: `[${text}]` }
}
