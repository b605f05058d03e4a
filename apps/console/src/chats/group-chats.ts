import type { ListedChat } from '@throughline/protocol'

export type GroupName = 'pinned' | 'today' | 'yesterday' | 'lastWeek' | 'older'

export interface ChatGroup {
  readonly name: GroupName
  readonly chats: readonly ListedChat[]
}

/**
 * Groups chats: the pinned ones, and the others by the day on which they changed last, by the clock of this browser.
 * Leaves out empty groups.
 */
export function groupChats(chats: readonly ListedChat[], now: Date): readonly ChatGroup[] {
  const groups = Map.groupBy(chats, ({ pinnedAt, updatedAt }) =>
    pinnedAt === undefined ? groupOf(new Date(updatedAt), now) : 'pinned',
  )
  return groupNames.flatMap(name => {
    const found = groups.get(name)
    return found === undefined ? [] : [{ name, chats: found }]
  })
}

const groupNames: readonly GroupName[] = ['pinned', 'today', 'yesterday', 'lastWeek', 'older']

function groupOf(at: Date, now: Date): GroupName {
  // The clock of the server may be ahead of this one. Then the time is in the future, and counts as today.
  if (at >= dayBefore(now, 0)) return 'today'
  if (at >= dayBefore(now, 1)) return 'yesterday'
  return at >= dayBefore(now, 7) ? 'lastWeek' : 'older'
}

/** Returns the first moment of a day, counted back from today. Not all days have 24 hours. */
function dayBefore(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
}
