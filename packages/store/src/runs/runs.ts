import type { ChatKey, EndStatus, MessageId, OwnerId, RunId } from '@throughline/protocol'
import type { ChatRecord } from '../chats/chats.ts'
import type { MessageFile } from '../files/files.ts'
import type { MessageChanges, MessageToSave } from '../messages/messages.ts'
import type { UsageShare } from '../owners/usage-days.ts'
import type { SubmissionVersion } from '../queue/waiting-submissions.ts'

/** A run, as it is saved. */
export interface Run extends ChatKey {
  readonly id: RunId
  /** The name of the agent that answers, or a person such as `user::Ann`. */
  readonly agent: string
  /** The message that is answered. */
  readonly userMessageId: MessageId
  /** The id that is reserved for the answer. */
  readonly answerId: MessageId
  /** All entries of the run come after this entry of the chat's log. */
  readonly afterSeq: number
  /** In ISO format. */
  readonly startedAt: string
  /** `running`, or how the run has ended. */
  readonly status: 'running' | EndStatus
  /**
   * What the run writes:
   * - `answer`: a new message of the user, and the answer to it.
   * - `another-answer`: another answer to a message that the chat has already.
   * - `follow-up`: one more message after the last answer. A person has written it in place of the agent.
   * - `message`: a new message to a person, without an answer.
   * - `change`: a change of messages that the chat has already, without an answer.
   *
   * The last two are runs because only one run at a time may write to a chat.
   */
  readonly kind: 'answer' | 'another-answer' | 'follow-up' | 'message' | 'change'
  /**
   * How often the run was taken over after a crash. Default: 0. Only the process that took it over last can save
   * messages and the end of the run.
   */
  readonly attempt?: number | undefined
  /** Who has asked for the end of the run, if somebody has: see `Runs.requestStop`. */
  readonly stopRequestedBy?: StopRequester
  /**
   * A digest of the user's message as it was sent, when it was edited while it waited. With it, the message is recognised
   * when it is sent again.
   */
  readonly sentDigest?: string | undefined
  /**
   * The nodes that died while they worked on the run. A node that left its run to others has not died. Deaths that another
   * run explains are not among them: see `RunQuarantine.explain`. Default: none.
   */
  readonly deaths?: readonly string[]
  /**
   * - `waits`: the run waits for its turn in quarantine. No node works on it.
   * - `inside`: its node watches whether it dies.
   * - `ended`: the run has ended because its node died again and again.
   */
  readonly quarantine?: 'waits' | 'inside' | 'ended'
}

/** A run that was taken over, and what is needed to go on with it. */
export interface TakenRun {
  /** The run with its new `attempt`. */
  readonly run: Run
  /** What `claim` was given as `context`; `undefined` when it was given none. */
  readonly context: string | undefined
  /** What `noteUsage` was given last. */
  readonly usage: string | undefined
}

/** Who asks for the end of a run: a person (`user`), or a new message that interrupts it (`message`). */
export type StopRequester = 'user' | 'message'

/** An unfinished run whose row is damaged. It has what can still be read of the row. */
export interface DamagedRun {
  /** Names the row in its table. The only thing that surely does. Changes when the row changes. */
  readonly rowName: string
  /** What the row has as the ids of the run and its chat, for people to read. */
  readonly named: { readonly runId: string; readonly chatId: string }
  readonly id: RunId | undefined
  /** `undefined` when the row does not name a chat that exists. */
  readonly chat: ChatKey | undefined
  readonly userMessageId: MessageId | undefined
  readonly answerId: MessageId | undefined
  readonly agent: string
  /** The last entry of the chat's log that the saved messages contain. All entries of the run come after it. */
  readonly savedSeq: number
}

/** Returns whether a run writes an answer. */
export function hasAnswer({ kind }: Pick<Run, 'kind'>): boolean {
  return kind !== 'message' && kind !== 'change'
}

/** Returns whether a run writes a new message of the user. */
export function hasNewMessage({ kind }: Pick<Run, 'kind'>): boolean {
  return kind === 'answer' || kind === 'message'
}

/** What is saved when a run begins. */
export interface RunStart {
  /** Used to make the chat if it does not exist. Its title is also given to a chat that has none. */
  readonly chat: ChatRecord
  /** The user's message, if it is new. */
  readonly userMessage: MessageToSave | undefined
  /** The files that a new message brings. `files.write` has written their bytes before. */
  readonly files?: readonly MessageFile[] | undefined
  /** The node that works on the run. Default: none, for a store that only one process uses. */
  readonly nodeId?: string | undefined
  /** Who asked, and from where, as JSON. Without it the run cannot go on after a crash. Deleted when the run ends. */
  readonly context?: string | undefined
  /**
   * How the run comes after the submissions in the queue of the chat.
   * - `waited`: its own submission waits, and is taken out of the queue in the same transaction.
   * - `behind-others`: it may not begin while others wait.
   *
   * Without it, the run does not care who waits.
   */
  readonly turn?:
    | { readonly type: 'waited'; readonly waiting: SubmissionVersion }
    | { readonly type: 'behind-others' }
    | undefined
}

/** What is saved when a run ends. */
export interface RunEnd {
  readonly status: EndStatus
  readonly at: string
  /** The last entry of the run. Afterwards the saved messages contain everything up to it. */
  readonly seq: number
  /**
   * Whether the log must still have the entry `seq`. If a failover has lost it, nothing is saved. Default: the log is not
   * looked at.
   */
  readonly isInLog?: boolean | undefined
  /** The messages of the run. */
  readonly messages: readonly MessageToSave[]
  /** How messages that were saved before have changed. */
  readonly changes?: MessageChanges | undefined
  /** What the run has used, to be added to the sums of the day. Default: nothing. */
  readonly usage?: readonly UsageShare[] | undefined
}

/** Reads runs. Another owner's run does not exist here. */
export interface RunFinder {
  /** Returns the run that goes on in a chat. */
  active(chat: ChatKey): Promise<Run | undefined>
  get(ownerId: OwnerId, id: RunId): Promise<Run | undefined>
  /** Returns the first run that answers a user message. */
  ofUserMessage(chat: ChatKey, id: MessageId): Promise<Run | undefined>
  /** Returns the newest run that answers a user message. */
  lastOfUserMessage(chat: ChatKey, id: MessageId): Promise<Run | undefined>
  /** Returns the run that has this message id reserved for its answer. */
  ofAnswer(chat: ChatKey, id: MessageId): Promise<Run | undefined>
  /**
   * Returns every run of every owner that has not ended, for the recovery after a crash. Leaves out those whose rows
   * are damaged.
   */
  unfinished(): Promise<readonly Run[]>
  /**
   * Returns the runs of every owner that go on although their end was asked for. Usually there are none. Leaves out those
   * whose rows are damaged: they are set aside when somebody takes them over.
   */
  toStop(): Promise<readonly Run[]>
  /** Returns the runs that `unfinished` leaves out. */
  damaged(): Promise<readonly DamagedRun[]>
}

/** The records of runs. */
export interface Runs extends RunFinder {
  /**
   * Claims the chat for a run, and saves the user's message with its files if it is new. A new message also makes the chat if it does
   * not exist. Returns false, and changes nothing, when
   * - another run is active in the chat,
   * - a new message has an id that the chat has already,
   * - a message that is not new was deleted, alone or with its chat,
   * - the id of the answer is reserved for another run,
   * - it is not its turn: see `RunStart.turn`.
   */
  claim(run: Run, start: RunStart): Promise<boolean>
  /**
   * Takes over a run whose process has died. Returns `undefined` when the run has ended, or somebody else took it over
   * since it was read.
   */
  takeOver(run: Run): Promise<TakenRun | undefined>
  /** Returns what `claim` was given as `context`; `undefined` when it was given none, or when the run has ended. */
  contextOf(run: Run): Promise<string | undefined>
  /** Saves what a run has used so far, as JSON. Does nothing when the run has ended or was taken over. */
  noteUsage(run: Run, usage: string): Promise<void>
  /**
   * Asks for the end of a run that may go on in another process. Whoever has the run, or takes it over, ends it. Returns
   * false when the run has ended, or when its end was asked for before.
   */
  requestStop(
    run: Pick<Run, 'ownerId' | 'id'>,
    request: { readonly by: StopRequester; readonly at: string },
  ): Promise<boolean>
  /** Saves a message while its run goes on, such as the message of a sub-agent that has ended. */
  save(run: Run, message: MessageToSave): Promise<void>
  /**
   * Saves the last messages and the end of a run in one transaction. Approvals that still wait become void. Returns
   * false when the run had ended before, or when the log lacks its last entry (`isInLog`).
   */
  end(run: Run, end: RunEnd): Promise<boolean>
  /** The same for a run whose row is damaged. Without a chat only the row gets its end. */
  endDamaged(run: DamagedRun, end: RunEnd): Promise<boolean>
}
