import { ProblemError } from '@throughline/protocol'
import type { HttpContext, Services } from '../context.ts'
import type { Route } from '../route.ts'

/** The route for what a person has used by day. Nobody sees what others have used. */
export function usageRoutes(services: Pick<Services, 'now' | 'store'>): readonly Route[] {
  return [{ method: 'GET', path: '/api/usage', policy: 'owner', handle: context => usage(context, services) }]
}

const dayMs = 24 * 60 * 60 * 1000
const mostDays = 366

async function usage(
  context: HttpContext,
  { now, store }: Pick<Services, 'now' | 'store'>,
): Promise<Response> {
  const count = dayCount(context.req.query('days') ?? '30')
  const today = now().getTime()
  const from = dayOf(today - (count - 1) * dayMs)
  const days = await store.usageDays.since(context.get('ownerId'), from)
  return context.json({ from, to: dayOf(today), days })
}

function dayCount(text: string): number {
  const count = Number(text)
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= mostDays) return count
  throw new ProblemError(400, 'invalid-days', `"days" is a whole number from 1 to ${mostDays}.`)
}

/** Returns a day in UTC, such as `2026-11-16`. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, '2026-11-16'.length)
}
