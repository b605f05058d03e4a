import { isChatId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { expect, test } from 'vitest'
import { groupChats } from '../src/chats/group-chats.ts'

const now = new Date(2026, 2, 30, 0, 30)

test('chats are grouped: pinned ones, then by the day of their last change, without empty groups', () => {
  const chats = [
    chatAt('ahead', new Date(2026, 2, 30, 9, 0)),
    chatAt('midnight', new Date(2026, 2, 30, 0, 0)),
    chatAt('last evening', new Date(2026, 2, 29, 23, 59)),
    chatAt('yesterday', new Date(2026, 2, 29, 0, 0)),
    chatAt('a week ago', new Date(2026, 2, 23, 0, 0)),
    chatAt('longer ago', new Date(2026, 2, 22, 23, 59)),
  ]
  const names = (all: typeof chats) =>
    groupChats(all, now).map(({ name, chats: grouped }) => [name, ...grouped.map(({ title }) => title)])
  expect(names(chats)).toEqual([
    ['today', 'ahead', 'midnight'],
    ['yesterday', 'last evening', 'yesterday'],
    ['lastWeek', 'a week ago'],
    ['older', 'longer ago'],
  ])
  expect(names(chats.slice(-1))).toEqual([['older', 'longer ago']])
  const [first, ...others] = chats.slice(-2)
  const pinned = first === undefined ? [] : [{ ...first, pinnedAt: first.updatedAt }]
  expect(names([...others, ...pinned])).toEqual([
    ['pinned', 'a week ago'],
    ['older', 'longer ago'],
  ])
})

function chatAt(title: string, date: Date) {
  const at = date.toISOString()
  const id = idOf(isChatId, title.replaceAll(' ', '-'))
  return { id, title, createdAt: at, updatedAt: at, activity: 'idle' as const }
}
