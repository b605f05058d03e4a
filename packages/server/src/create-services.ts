import { ChannelHost } from './channels/channel-host.ts'
import { OperatorDesk } from './channels/operator-desk.ts'
import { ChatLists } from './chat-list/chat-lists.ts'
import type { Services } from './http/context.ts'
import { nodeStore } from './nodes/node-store.ts'
import type { NodeWork } from './nodes/node-work.ts'
import { type NodeOptions, ServerNode } from './nodes/server-node.ts'
import { agentSystem, withDefinitions } from './runs/agent-system.ts'
import { ApprovalWaits } from './runs/approval-waits.ts'
import { CallWaits } from './runs/call-waits.ts'
import { checkAgents } from './runs/check-agents.ts'
import { operatorsOf } from './runs/operators.ts'
import { OutputWaits } from './runs/output-waits.ts'
import { Readiness } from './runs/readiness.ts'
import { Runner } from './runs/runner.ts'
import { StoreWatch } from './runs/store-watch.ts'
import { WritePace } from './runs/write-pace.ts'
import { type HeartbeatOptions, Heartbeats } from './stream/heartbeats.ts'
import type { ThroughlineOptions } from './throughline-options.ts'
import { ChatTitles } from './titles/chat-titles.ts'

type ServiceOptions = Omit<ThroughlineOptions, 'heartbeatMs' | 'logger'> &
  Pick<Services, 'logger'> &
  Pick<NodeOptions, 'clock'> &
  Pick<HeartbeatOptions, 'heartbeatMs'>

/** Makes what the routes work with. Throws a `StartError` when the agents cannot work. */
export function createServices(options: ServiceOptions, closing: AbortSignal): Services {
  const { metrics, logger, heartbeatMs, maxStallMs = 30_000, now = () => new Date() } = options
  const store = metrics === undefined ? options.store : metrics.measured(options.store)
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
  const storeWatch = new StoreWatch({ store, logger })
  const pace = new WritePace()
  const shared = { store, approvals, outputs, logger, now, storeWatch }
  const node = store.isShared
    ? new ServerNode(
        { store, logger, clock: options.clock },
        workOf({ metrics, runner: () => runner, channels: () => channels }),
      )
    : undefined
  const titles = options.titles === true ? new ChatTitles({ store, system, logger, closing }) : undefined
  const runner: Runner = new Runner({
    ...shared,
    store: node === undefined ? store : nodeStore(store, node),
    mayActOutside: node && (() => node.mayActOutside()),
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
    channels,
    chatLists,
    system,
    agents,
    heartbeats,
    maxStallMs,
    closing,
    startedAt: now(),
    isOperator: operatorsOf(options),
    keys: options.keys ?? [],
    isSharing: options.sharing ?? true,
    takesClientTools: options.clientTools ?? true,
  }
}

interface NodeParts extends Pick<ServiceOptions, 'metrics'> {
  readonly runner: () => Runner
  readonly channels: () => ChannelHost
}

/** The runner needs the node, and the node works through the runner. So it asks for it when there is work. */
function workOf({ metrics, runner, channels }: NodeParts): NodeWork {
  return {
    underWay: () => runner().underWay(),
    async takeOver(run) {
      await runner().takeOver(run)
      metrics?.tookOver(1)
    },
    takeOverDamaged: run => runner().takeOverDamaged(run),
    abandon: run => runner().abandon(run),
    deliverLeft: () => channels().deliverLeft(),
  }
}
