import type { MessageRecord, ModelUsage, Usage } from '@throughline/protocol'
import type { UsageShare } from '@throughline/store'

/**
 * Returns what each agent of a run has used of each model. The usage of an answer contains that of its sub-agents. Here it
 * is taken out again, so that the shares add up to the usage of the run.
 */
export function usageShares(
  messages: readonly Pick<MessageRecord, 'id' | 'metadata'>[],
): readonly UsageShare[] {
  const shares = new Map<string, UsageShare>()
  const below = Map.groupBy(messages, ({ metadata }) => metadata?.parent?.messageId)
  for (const { id, metadata } of messages) {
    const { agent, usage } = metadata ?? {}
    if (agent === undefined || usage === undefined) continue
    const own = modelsOf(usage)
    for (const { metadata: theirs } of below.get(id) ?? []) {
      for (const [model, used] of theirs?.usage === undefined ? [] : modelsOf(theirs.usage))
        own.set(model, without(own.get(model), used))
    }
    for (const [model, used] of own) add(shares, { agent: agent.name, model, ...used })
  }
  return [...shares.values()].filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
}

type Used = Pick<UsageShare, 'inputTokens' | 'outputTokens' | 'cost'>

/** Some agents report only the whole. It is counted for a model without a name. */
function modelsOf({ byModel, ...whole }: Usage): Map<string, Used> {
  const named = Object.entries(byModel ?? { '': whole })
  return new Map(named.map(([model, used]) => [model, usedOf(used)]))
}

function usedOf({ inputTokens, outputTokens, cost }: Pick<ModelUsage, keyof Used>): Used {
  return { inputTokens, outputTokens, cost: cost ?? undefined }
}

function without(all: Used | undefined, { inputTokens, outputTokens, cost }: Used): Used {
  return {
    inputTokens: Math.max(0, (all?.inputTokens ?? 0) - inputTokens),
    outputTokens: Math.max(0, (all?.outputTokens ?? 0) - outputTokens),
    // Rounding may leave a little less than nothing.
    cost: all?.cost === undefined || cost === undefined ? undefined : Math.max(0, all.cost - cost),
  }
}

/** Several messages of a run may be of the same agent. */
function add(shares: Map<string, UsageShare>, share: UsageShare): void {
  const key = JSON.stringify([share.agent, share.model])
  const known = shares.get(key)
  if (known === undefined) {
    shares.set(key, share)
    return
  }
  const isPriced = known.cost !== undefined && share.cost !== undefined
  shares.set(key, {
    ...share,
    inputTokens: known.inputTokens + share.inputTokens,
    outputTokens: known.outputTokens + share.outputTokens,
    cost: isPriced ? Number(known.cost) + Number(share.cost) : undefined,
  })
}
