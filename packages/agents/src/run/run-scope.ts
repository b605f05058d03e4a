import type { ChatId, Chunk, MessageId, OwnerId, RunId } from '@throughline/protocol'
import type { LanguageModel } from 'ai'
import type { Agent } from '../agent/agent.ts'
import type { HideSecrets } from '../errors/hide-secrets.ts'
import type { KeepFile } from '../values/keep-pictures.ts'
import type { ApprovalDesk, OutputDesk } from './desks.ts'
import type { Limits } from './limits.ts'
import type { RequestContext } from './request-context.ts'
import type { RunStopped } from './run-stopped.ts'
import type { ToolFactory, ToolFactoryRegistry } from './tool-factory-registry.ts'

/** What all agents of one run share. The server makes one for each run. */
export interface RunScope {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly runId: RunId
  readonly context: RequestContext
  /** The roles of the person who asks, as the application names them. For its own tools and agents. */
  readonly roles?: readonly string[]
  /** The agents that can be delegated to. */
  readonly subAgents: SubAgentSource
  readonly tools: ToolFactoryRegistry
  /** The model of an agent that has none of its own, and no caller with a model. */
  readonly defaultModel?: LanguageModel | undefined
  /** The keys of the tools that the user may use; all when it is missing. */
  readonly permittedTools?: ReadonlySet<string> | undefined
  readonly limits: Limits
  /** Covers the secrets of this server in the outputs of tools. */
  readonly hideSecrets?: HideSecrets | undefined
  readonly approvals: ApprovalDesk
  readonly outputs: OutputDesk
  /** Tools that the request brought, for the agent that the person asks. The program that shows the chat runs them. */
  readonly clientTools?: readonly ToolFactory[] | undefined
  /**
   * Whether this process surely has the run, so that it may do what must not be done twice. Default: always. False when
   * it has not reached its database for some time, and another process may go on with the run.
   */
  readonly mayActOutside?: (() => Promise<boolean>) | undefined
  readonly counts: RunCounts
  now(): Date
  /** Resolves to an id that no message of the chat has. */
  newMessageId(): Promise<MessageId>
  /** Puts a chunk of a message into the log. Resolves when there is room for the next one (back pressure). */
  emit(messageId: MessageId, chunk: Chunk): Promise<void>
  /** Resolves when every chunk that was emitted before is in the log. */
  flush(): Promise<void>
  /** Saves the message of a sub-agent, after it has ended. */
  save(messageId: MessageId): Promise<void>
  /** Keeps a file of this chat. Resolves to the address at which the chat's owner can read it. */
  readonly keepFile: KeepFile
  /** Registers work to do when the run has ended. It is called once, whatever the end is. */
  onEnd(cleanUp: () => Promise<void>): void
  /** Stops all agents of the run. */
  stop(reason: RunStopped): void
}

/** Finds agents that can be delegated to. */
export interface SubAgentSource {
  find(name: string): Promise<Agent | undefined>
  list(): Promise<readonly Agent[]>
}

/** What a run has used so far. The code that uses something adds to these numbers. */
export interface RunCounts {
  subAgents: number
  steps: number
  outputBytes: number
  toolOutputBytes: number
}

/** Returns the counts at the beginning of a run. */
export function noCounts(): RunCounts {
  return { subAgents: 0, steps: 0, outputBytes: 0, toolOutputBytes: 0 }
}

/** Finds sub-agents by name: first those in code, then those of another source such as the database. */
export class SubAgentRegistry implements SubAgentSource {
  readonly #inCode: ReadonlyMap<string, Agent>
  readonly #source: SubAgentSource | undefined

  constructor(inCode: readonly Agent[], source?: SubAgentSource) {
    this.#inCode = new Map(inCode.map(agent => [agent.name, agent]))
    this.#source = source
  }

  async find(name: string): Promise<Agent | undefined> {
    return this.#inCode.get(name) ?? (await this.#source?.find(name))
  }

  /** Resolves to the agents that can be asked now. */
  async list(): Promise<readonly Agent[]> {
    const others = (await this.#source?.list()) ?? []
    return [...this.#inCode.values(), ...others.filter(({ name }) => !this.#inCode.has(name))].filter(
      ({ isEnabled = true }) => isEnabled,
    )
  }
}
