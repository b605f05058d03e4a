import { type List, listFrom, listGet, listPush, listSet, listToArray } from './list.ts'

/** A list that is never changed, and whose items are found by key at a cost that does not grow with its length. */
export interface KeyedList<Item> {
  readonly items: List<Item>
  readonly index: Index<Item>
}

/**
 * Where each key was last put, for the newest version of a list. Shared by all versions, and so the one thing
 * here that changes: an older version that is built upon again (two futures of one state) looks for its keys
 * itself, and what is made from it gets an index of its own.
 */
interface Index<Item> {
  readonly keyOf: (item: Item) => string
  readonly places: Map<string, number>
  newest: List<Item>
}

/** Of two items with the same key, the later one is found. */
export function keyedFrom<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): KeyedList<Item> {
  return indexed(listFrom(items), keyOf)
}

export function keyedPlace<Item>({ items, index }: KeyedList<Item>, key: string): number | undefined {
  if (index.newest === items) {
    const place = index.places.get(key)
    if (place === undefined) return undefined
    const item = listGet(items, place)
    // A key that its item gave up is still in the index; it may stand elsewhere.
    if (item !== undefined && index.keyOf(item) === key) return place
  }
  const found = listToArray(items).findLastIndex(item => index.keyOf(item) === key)
  return found === -1 ? undefined : found
}

export function keyedGet<Item>({ items }: KeyedList<Item>, place: number): Item | undefined {
  return listGet(items, place)
}

export function keyedPush<Item>(list: KeyedList<Item>, item: Item): KeyedList<Item> {
  return changed(list, listPush(list.items, item), { item, place: list.items.size })
}

export function keyedSet<Item>(list: KeyedList<Item>, place: number, item: Item): KeyedList<Item> {
  return changed(list, listSet(list.items, place, item), { item, place })
}

export function keyedToArray<Item>({ items }: KeyedList<Item>): Item[] {
  return listToArray(items)
}

function changed<Item>(
  { items: before, index }: KeyedList<Item>,
  items: List<Item>,
  { item, place }: { readonly item: Item; readonly place: number },
): KeyedList<Item> {
  if (index.newest !== before) return indexed(items, index.keyOf)
  index.newest = items
  index.places.set(index.keyOf(item), place)
  return { items, index }
}

function indexed<Item>(items: List<Item>, keyOf: (item: Item) => string): KeyedList<Item> {
  const places = new Map(listToArray(items).map((item, place) => [keyOf(item), place]))
  return { items, index: { keyOf, places, newest: items } }
}
