import { type List, listFrom, listGet, listPush, listSet, listToArray } from './list.ts'

interface Keyed {
  readonly id: string
}

/** A list that is never changed, and whose items are found by id at a cost that does not grow with its length. */
export interface KeyedList<Item extends Keyed> {
  readonly items: List<Item>
  readonly index: Index<Item>
}

/**
 * Where each id was last put, for the newest version of a list. Shared by all versions, and so the one thing
 * here that changes: an older version that is built upon again (two futures of one state) looks for its ids
 * itself, and what is made from it gets an index of its own.
 */
interface Index<Item> {
  readonly places: Map<string, number>
  newest: List<Item>
}

export function keyedFrom<Item extends Keyed>(all: readonly Item[]): KeyedList<Item> {
  const items = listFrom(all)
  const places = new Map(all.map(({ id }, place) => [id, place]))
  return { items, index: { places, newest: items } }
}

/** Where the last item with an id stands; -1 when there is none. */
export function keyedIndexOf<Item extends Keyed>({ items, index }: KeyedList<Item>, id: string): number {
  if (index.newest === items) {
    const place = index.places.get(id) ?? -1
    // An id that its item gave up is still in the index; it may stand elsewhere.
    if (place === -1 || listGet(items, place)?.id === id) return place
  }
  return listToArray(items).findLastIndex(item => item.id === id)
}

/** Puts an item in its place, or after all others when that is -1. */
export function keyedPut<Item extends Keyed>(
  { items: before, index }: KeyedList<Item>,
  place: number,
  item: Item,
): KeyedList<Item> {
  const items = place === -1 ? listPush(before, item) : listSet(before, place, item)
  if (index.newest !== before) return keyedFrom(listToArray(items))
  index.newest = items
  index.places.set(item.id, place === -1 ? before.size : place)
  return { items, index }
}

export function keyedToArray<Item extends Keyed>({ items }: KeyedList<Item>): Item[] {
  return listToArray(items)
}
