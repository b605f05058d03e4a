import type { OwnerId } from '@throughline/protocol'
import { sql as sqlText } from 'kysely'
import { readRows, type StoreDatabase, statement } from '../database/database.ts'
import { usageDayRow } from '../database/schema.ts'
import type { Statement } from '../database/sql.ts'

/** What one agent has used of one model. */
export interface UsageShare {
  /** The name of the agent. */
  readonly agent: string
  /** As in the usage of an answer: `provider:model`. Empty when the agent did not say which model it used. */
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; `undefined` when the price of the model is not known. */
  readonly cost: number | undefined
}

/** What one agent has used of one model on one day. */
export interface DailyUsage extends Omit<UsageShare, 'cost'> {
  /** The day on which the answers ended, in UTC, such as `2026-11-16`. */
  readonly day: string
  /** US dollars, for the tokens whose price was known. */
  readonly cost: number
  /** How many of the tokens, input and output together, had no known price. */
  readonly unpricedTokens: number
}

/**
 * What people have used, by day, agent and model. The sums are kept up to date when runs end. So reading them costs the
 * same however many runs there were, and deleting a chat does not change them.
 */
export interface UsageDays {
  /** Returns what an owner has used from a day on, the oldest day first. */
  since(ownerId: OwnerId, day: string): Promise<readonly DailyUsage[]>
}

/** Returns what was used by day, in a database. */
export function createUsageDays(database: StoreDatabase): UsageDays {
  return {
    async since(ownerId, day) {
      const select = database.build
        .selectFrom('usage_days')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('day', '>=', day)
        .orderBy('day')
        .orderBy('agent')
        .orderBy('model')
      return (await readRows(database, select, usageDayRow)).map(row => ({
        day: row.day,
        agent: row.agent,
        model: row.model,
        inputTokens: row.input_tokens,
        outputTokens: row.output_tokens,
        cost: row.cost_nanos / nanos,
        unpricedTokens: row.unpriced_tokens,
      }))
    },
  }
}

/** Returns statements that add what a run has used to the sums of the day on which it ends. */
export function addUsage(
  database: StoreDatabase,
  ownerId: OwnerId,
  { at, usage }: { readonly at: string; readonly usage: readonly UsageShare[] },
): readonly Statement[] {
  // Always in the same order. Otherwise two transactions could wait for each other's rows.
  const ordered = usage.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  return ordered.map(({ agent, model, cost, ...counts }) => {
    const inputTokens = Math.round(counts.inputTokens)
    const outputTokens = Math.round(counts.outputTokens)
    const row = {
      owner_id: ownerId,
      day: at.slice(0, '2026-11-16'.length),
      agent,
      model,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cost_nanos: Math.round((cost ?? 0) * nanos),
      unpriced_tokens: cost === undefined ? inputTokens + outputTokens : 0,
    }
    const sum = (column: (typeof summed)[number]) =>
      sqlText<number>`${sqlText.ref(`usage_days.${column}`)} + ${sqlText.ref(`excluded.${column}`)}`
    const add = database.build
      .insertInto('usage_days')
      .values(row)
      .onConflict(conflict =>
        conflict.columns(['owner_id', 'day', 'agent', 'model']).doUpdateSet({
          input_tokens: sum('input_tokens'),
          output_tokens: sum('output_tokens'),
          cost_nanos: sum('cost_nanos'),
          unpriced_tokens: sum('unpriced_tokens'),
        }),
      )
    return statement(add)
  })
}

/** Money is kept in billionths of a dollar. Sums of whole numbers are exact, in any order. */
const nanos = 1e9

const summed = ['input_tokens', 'output_tokens', 'cost_nanos', 'unpriced_tokens'] as const

function keyOf({ agent, model }: UsageShare): string {
  return JSON.stringify([agent, model])
}
