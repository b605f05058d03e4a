import type { Agent } from '@throughline/agents'
import type { BatchOptions } from '@throughline/log'
import type { EndStatus } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import type { ApprovalWaits } from '../waits/approval-waits.ts'
import type { OutputWaits } from '../waits/output-waits.ts'
import type { AgentSystem } from '../who/agent-system.ts'
import type { RunWatch } from './active-runs.ts'
import type { StoreWatch } from './store-watch.ts'

/** What the runs of a server need. */
export interface RunnerOptions {
  readonly store: Store
  readonly agents: ReadonlyMap<string, Agent>
  /** Returns the person of this name, such as `user::Ann`, as an agent. Without it no person can answer. */
  readonly person?: ((target: string) => Agent) | undefined
  readonly system: AgentSystem
  readonly approvals: ApprovalWaits
  readonly outputs: OutputWaits
  readonly logger: Logger
  readonly storeWatch: StoreWatch
  readonly now: () => Date
  /** Whether this process surely has its runs. See `RunScope`. Default: always. */
  readonly mayActOutside?: ((run: Run) => Promise<boolean>) | undefined
  /** How text is joined on its way into the log. */
  readonly batching?: BatchOptions | undefined
  readonly watch?: RunWatch | undefined
  /** Whether runs go on after their process died. Otherwise they end as `interrupted`. Default: true. */
  readonly continueRuns?: boolean | undefined
  /** Called for each run that has begun, and for each one that was taken over. */
  readonly onBegin?: ((run: Run) => void) | undefined
  /** Called for each answer that is saved. The run does not wait for what it does. */
  readonly onAnswer?: ((run: Run, answered: Answered) => void) | undefined
}

/** Who has answered, and how the answer ended. */
export interface Answered {
  readonly agent: Agent
  readonly status: EndStatus
}
