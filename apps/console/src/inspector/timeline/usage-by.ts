import type { Entry, ModelUsage, Usage } from '@throughline/protocol'
import { type Author, authorsIn } from '../authors.ts'

/** What one agent, or one model, has used. */
export interface UsageShare {
  readonly key: string
  readonly name: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; `undefined` when the price of any of its models is not known. */
  readonly cost: number | undefined
}

/** What was used by agent and by model. */
export interface UsageTables {
  readonly byAgent: readonly UsageShare[]
  readonly byModel: readonly UsageShare[]
}

/**
 * Returns what the answers of a log have used. The usage of an answer has that of its sub-agents in it: here it is taken
 * out again, so that the shares of the agents add up to the whole.
 */
export function usageBy(entries: readonly Entry[]): UsageTables {
  const authors = authorsIn(entries)
  const totals = new Map<string, Usage>()
  for (const { messageId, chunk } of entries) {
    const usage = 'messageMetadata' in chunk ? chunk.messageMetadata?.usage : undefined
    if (usage !== undefined) totals.set(messageId, usage)
  }
  const delegated = Map.groupBy(
    [...authors.values()].filter(({ parent }) => parent !== undefined),
    ({ parent }) => parent?.messageId,
  )
  const byAgent = new Map<string, UsageShare>()
  const byModel = new Map<string, UsageShare>()
  for (const [messageId, usage] of totals) {
    const author = authors.get(messageId)
    if (author === undefined) continue
    const theirs = (delegated.get(messageId) ?? []).flatMap(each => totals.get(each.messageId) ?? [])
    add(byAgent, theirs.reduce(without, shareOf(author, usage)))
    if (author.parent !== undefined) continue
    for (const [model, used] of Object.entries(usage.byModel ?? {})) add(byModel, modelShare(model, used))
  }
  return { byAgent: largestFirst(byAgent), byModel: largestFirst(byModel) }
}

function shareOf({ agentKey, name }: Author, usage: Usage): UsageShare {
  const { inputTokens, outputTokens, cost } = usage
  return { key: agentKey, name, inputTokens, outputTokens, cost: cost ?? undefined }
}

function modelShare(model: string, { inputTokens, outputTokens, cost }: ModelUsage): UsageShare {
  return { key: model, name: model, inputTokens, outputTokens, cost: cost ?? undefined }
}

function without(share: UsageShare, { inputTokens, outputTokens, cost }: Usage): UsageShare {
  return {
    ...share,
    inputTokens: Math.max(0, share.inputTokens - inputTokens),
    outputTokens: Math.max(0, share.outputTokens - outputTokens),
    // Rounding may leave a little less than nothing.
    cost: share.cost === undefined || cost == null ? undefined : Math.max(0, share.cost - cost),
  }
}

function add(shares: Map<string, UsageShare>, share: UsageShare): void {
  const known = shares.get(share.key)
  shares.set(share.key, {
    ...share,
    inputTokens: share.inputTokens + (known?.inputTokens ?? 0),
    outputTokens: share.outputTokens + (known?.outputTokens ?? 0),
    cost:
      known === undefined
        ? share.cost
        : share.cost === undefined || known.cost === undefined
          ? undefined
          : share.cost + known.cost,
  })
}

function largestFirst(shares: ReadonlyMap<string, UsageShare>): readonly UsageShare[] {
  const tokens = ({ inputTokens, outputTokens }: UsageShare) => inputTokens + outputTokens
  return [...shares.values()].sort((one, other) => tokens(other) - tokens(one))
}
