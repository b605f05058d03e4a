import { ChannelHost } from './channels/channel-host.ts'
import { OperatorDesk } from './channels/operator-desk.ts'
import { ChatLists } from './chat-list/chat-lists.ts'
import { StoreWatch } from './engine/store-watch.ts'
import { WritePace } from './engine/write-pace.ts'
import { patienceFor, type Services } from './http/request/context.ts'
import { Readiness } from './http/request/readiness.ts'
import { operatorsOf } from './http/sign-in/identity.ts'
import { LoneProcess } from './nodes/lone-process.ts'
import { type NodeWork, nodeStore } from './nodes/node-work.ts'
import { type NodeOptions, ServerNode } from './nodes/server-node.ts'
import { Runner } from './runs/runner.ts'
import { type HeartbeatOptions, Heartbeats } from './stream/bytes/send-stream.ts'
import type { ThroughlineOptions } from './throughline-options.ts'
import { ChatTitles } from './titles/chat-titles.ts'
import { ApprovalWaits } from './waits/approval-waits.ts'
import { CallWaits } from './waits/call-waits.ts'
import { OutputWaits } from './waits/output-waits.ts'
import { type AgentSystem, agentSystem, checkAgents, withDefinitions } from './who/agent-system.ts'

type ServiceOptions = Omit<ThroughlineOptions, 'heartbeatMs' | 'logger'> &
  Pick<Services, 'logger'> &
  Pick<NodeOptions, 'clock'> &
  Pick<HeartbeatOptions, 'heartbeatMs'>

/** Makes what the routes work with. Throws a `StartError` when the agents cannot work. */
export function createServices(
  options: ServiceOptions,
  signals: Pick<Services, 'closing' | 'over'>,
): Services {
  const { metrics, logger, heartbeatMs, maxStallMs = 30_000 } = options
  const store = metrics === undefined ? options.store : metrics.measured(options.store)
  const now = options.now ?? (() => store.now())
  const agents = new Map(options.agents.map(agent => [agent.name, agent]))
  const system = withDefinitions(options.system ?? agentSystem(), store.definitions)
  const waits = new CallWaits({ store, now, logger })
  const approvals = new ApprovalWaits({ store, now, logger, waits })
  const { maxToolOutputBytes: maxBytes } = system.limits
  const outputs = new OutputWaits({ store, now, logger, waits, maxBytes })
  const desk = new OperatorDesk(store)
  const taken = new Map([[desk.agent.name, 'the name of the people who answer in place of agents']])
  for (const warning of checkAgents({ agents: options.agents, system, taken })) logger.warn(warning)
  const heartbeats = new Heartbeats({ heartbeatMs })
  const storeWatch = new StoreWatch({ store, logger, closing: signals.over })
  const pace = new WritePace()
  const shared = { store, approvals, outputs, logger, now, storeWatch }
  const work = workOf({ metrics, store, runner: () => runner, channels: () => channels })
  const { node, runKeeper } = keeperOf({ ...options, store, logger, system }, work)
  const titles = options.titles === true ? new ChatTitles({ store, system, logger, ...signals }) : undefined
  const runner: Runner = new Runner({
    ...shared,
    store: nodeStore(store, runKeeper),
    mayActOutside: node && (run => node.mayActOutside(run)),
    agents: new Map([...agents, [desk.agent.name, desk.agent]]),
    person: target => desk.person(target),
    system,
    batching: { ...options.batching, minGapMs: pace.gapMs },
    continueRuns: options.continue,
    watch: metrics,
    onBegin: run => channels.onRun(run),
    onAnswer: titles && ((run, answered) => titles.onAnswer(run, answered)),
  })
  const installed = options.channels ?? new Map()
  const channels = new ChannelHost({ ...shared, node, runner, agents, desk, channels: installed })
  metrics?.watch({
    activeRuns: () => runner.activeCount,
    viewers: () => runner.viewers.count,
    waitingSubmissions: () => runner.waitingCount,
    deliveries: () => channels.deliveryCount,
  })
  const readiness = new Readiness()
  const chatLists = new ChatLists(shared)
  return {
    ...shared,
    readiness,
    runner,
    node,
    runKeeper,
    channels,
    chatLists,
    system,
    agents,
    heartbeats,
    maxStallMs,
    patience: patienceFor(heartbeatMs),
    ...signals,
    startedAt: now(),
    isOperator: operatorsOf(options),
    keys: options.keys ?? [],
    isSharing: options.sharing ?? true,
    takesClientTools: options.clientTools ?? true,
  }
}

/** Returns who takes over the runs of other processes: a node if others share the store, otherwise this process alone. */
function keeperOf(
  { store, logger, clock, system }: Omit<NodeOptions, 'maxDeaths'> & { readonly system: AgentSystem },
  work: NodeWork,
): Pick<Services, 'node' | 'runKeeper'> {
  const options = { store, logger, clock, maxDeaths: system.limits.maxDeaths }
  const node = store.isShared ? new ServerNode(options, work) : undefined
  return { node, runKeeper: node ?? new LoneProcess(options, work) }
}

interface NodeParts extends Pick<ServiceOptions, 'metrics' | 'store'> {
  readonly runner: () => Runner
  readonly channels: () => ChannelHost
}

/** The runner needs the node, and the node works through the runner. So it asks for it when there is work. */
function workOf({ metrics, store, runner, channels }: NodeParts): NodeWork {
  return {
    underWay: () => runner().underWay(),
    async takeOver(run, fate) {
      await runner().takeOver(run, fate)
      if (store.isShared) metrics?.tookOver(1)
      if (fate === 'ends') metrics?.endedDeadly()
    },
    takeOverDamaged: run => runner().takeOverDamaged(run),
    abandon: run => runner().abandon(run),
    deliverLeft: () => channels().deliverLeft(),
  }
}
