import { LogError, type LogName, type LogStore } from '@throughline/log'
import { type ChatKey, isChatId, isOwnerId, type RunId } from '@throughline/protocol'
import type { RunOwners } from '@throughline/store'

interface OwnedLogOptions {
  readonly log: LogStore
  readonly runOwners: Pick<RunOwners, 'hasRunIn'>
  readonly nodeId: string
}

/** A log store that lets a node write only the runs that belong to it. */
export interface OwnedLog extends LogStore {
  /** Refuses all further appends of a run, as `fenced`. The run belongs to another node, or is about to. */
  disown(runId: RunId): void
  /** Allows the appends of a run again, because this node has taken it over. */
  own(runId: RunId): void
  /** From now on refuses to begin with a run. Those that go on are not touched. */
  refuseNew(): void
}

/**
 * Wraps the log store for the runs of a node. Without this, a node that was paused between claiming a run and taking its
 * lease would take that lease away from the node that goes on with the run.
 */
export function ownedLog({ log, runOwners, nodeId }: OwnedLogOptions): OwnedLog {
  const disowned = new Set<RunId>()
  let isClosing = false

  return {
    ...log,
    async acquire(name) {
      const chat = chatOf(name)
      // To take a lease takes it from whoever has it. So a node that has lost its run must not even try.
      if (isClosing || !(await runOwners.hasRunIn(chat, nodeId))) throw fenced(name)
      const lease = await log.acquire(name)
      // The order matters. A node that takes a run over writes its name into the row first, and takes the lease then. So
      // if the row still has our name after we took the lease, any other lease will be newer than ours.
      if (await runOwners.hasRunIn(chat, nodeId)) return lease
      throw fenced(name)
    },
    async append(lease, after, drafts) {
      if (disowned.size > 0 && drafts.some(({ runId }) => disowned.has(runId))) throw fenced(lease.log)
      return log.append(lease, after, drafts)
    },
    disown: runId => void disowned.add(runId),
    own: runId => void disowned.delete(runId),
    refuseNew() {
      isClosing = true
    },
  }
}

function fenced(name: LogName): LogError {
  return new LogError('fenced', name, `Log ${name}: its run belongs to another node. Stop writing.`)
}

function chatOf(name: LogName): ChatKey {
  const [ownerId, chatId] = name.split('/')
  if (isOwnerId(ownerId) && isChatId(chatId)) return { ownerId, chatId }
  throw new TypeError(`"${name}" does not name the log of a chat.`)
}
