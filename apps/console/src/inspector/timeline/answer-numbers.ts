import { type Entry, isEndChunk, type ModelUsage, type Usage } from '@throughline/protocol'
import { type Author, authorsIn } from '../entries/authors.ts'

/** How long an answer took, in milliseconds since its run began. `undefined`: it has not come to that yet. */
interface Milestones {
  readonly messageId: string
  readonly name: string
  /** To the first token of the model, in text or in reasoning. */
  readonly firstTokenMs: number | undefined
  /** To the first text that the person reads. */
  readonly firstTextMs: number | undefined
  readonly endMs: number | undefined
}

/** Returns the times of every answer of a log. The messages of sub-agents are no answers of their own. */
export function milestonesOf(entries: readonly Entry[]): readonly Milestones[] {
  const authors = authorsIn(entries)
  const starts = new Map<string, number>()
  const found = new Map<string, Milestones>()
  for (const { runId, messageId, at, chunk } of entries) {
    const start = starts.get(runId) ?? at
    starts.set(runId, start)
    const author = authors.get(messageId)
    if (author === undefined || author.role === 'person' || author.parent !== undefined) continue
    const known = found.get(messageId) ?? noneOf(author)
    // The clock of a writer can go back.
    const ms = Math.max(0, at - start)
    const isText = chunk.type === 'text-delta'
    const isToken = isText || chunk.type === 'reasoning-delta' || chunk.type === 'tool-input-start'
    found.set(messageId, {
      ...known,
      firstTokenMs: known.firstTokenMs ?? (isToken ? ms : undefined),
      firstTextMs: known.firstTextMs ?? (isText ? ms : undefined),
      endMs: known.endMs ?? (isEndChunk(chunk) ? ms : undefined),
    })
  }
  return [...found.values()]
}

function noneOf({ messageId, name }: Author): Milestones {
  return { messageId, name, firstTokenMs: undefined, firstTextMs: undefined, endMs: undefined }
}

/** What one agent, or one model, has used. */
export interface UsedTokens {
  readonly key: string
  readonly name: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; `undefined` when the price of any of its models is not known. */
  readonly cost: number | undefined
}

/** What was used by agent and by model. */
interface UsageTables {
  readonly byAgent: readonly UsedTokens[]
  readonly byModel: readonly UsedTokens[]
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
  const byAgent = new Map<string, UsedTokens>()
  const byModel = new Map<string, UsedTokens>()
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

function shareOf({ agentKey, name }: Author, usage: Usage): UsedTokens {
  const { inputTokens, outputTokens, cost } = usage
  return { key: agentKey, name, inputTokens, outputTokens, cost: cost ?? undefined }
}

function modelShare(model: string, { inputTokens, outputTokens, cost }: ModelUsage): UsedTokens {
  return { key: model, name: model, inputTokens, outputTokens, cost: cost ?? undefined }
}

function without(share: UsedTokens, { inputTokens, outputTokens, cost }: Usage): UsedTokens {
  return {
    ...share,
    inputTokens: Math.max(0, share.inputTokens - inputTokens),
    outputTokens: Math.max(0, share.outputTokens - outputTokens),
    // Rounding may leave a little less than nothing.
    cost: share.cost === undefined || cost == null ? undefined : Math.max(0, share.cost - cost),
  }
}

function add(shares: Map<string, UsedTokens>, share: UsedTokens): void {
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

function largestFirst(shares: ReadonlyMap<string, UsedTokens>): readonly UsedTokens[] {
  const tokens = ({ inputTokens, outputTokens }: UsedTokens) => inputTokens + outputTokens
  return [...shares.values()].sort((one, other) => tokens(other) - tokens(one))
}
