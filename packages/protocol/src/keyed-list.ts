import { type List, listFrom, listGet, listPush, listSet, listToArray } from './list.ts'

interface Keyed {
  readonly id: string
}

/** An immutable list whose items are found by id. The cost of finding one does not grow with the length. */
export interface KeyedList<Item extends Keyed> {
  readonly items: List<Item>
  /**
   * For each id, the highest index at which any version of this list has held it. All versions share this one map, and
   * it only ever grows. So it is a hint that has to be checked against the items of the version at hand: see
   * `keyedIndexOf`. A map per version would have to be copied for every new item, which costs its length.
   *
   * It is made when it is first needed. Most messages of a long chat are loaded and shown, and never looked into.
   */
  readonly highestIndexes: { map?: Map<string, number> }
}

/** Returns a list of these items. Costs their number. */
export function keyedFrom<Item extends Keyed>(all: readonly Item[]): KeyedList<Item> {
  return { items: listFrom(all), highestIndexes: {} }
}

/** Returns the index of the last item with an id; -1 when there is none. */
export function keyedIndexOf<Item extends Keyed>(list: KeyedList<Item>, id: string): number {
  const { items } = list
  const highest = mapOf(list).get(id)
  // No version has ever held this id.
  if (highest === undefined) return -1
  // No item behind the highest index has this id, so the item at this index is the last one.
  if (listGet(items, highest)?.id === id) return highest
  // Another version of the list put it there, or the item has another id by now. Both are rare.
  return listToArray(items).findLastIndex(item => item.id === id)
}

/** Returns the list with an item at an index; at the end of the list when the index is -1. */
export function keyedPut<Item extends Keyed>(
  list: KeyedList<Item>,
  index: number,
  item: Item,
): KeyedList<Item> {
  const { items, highestIndexes } = list
  const map = mapOf(list)
  const at = index === -1 ? items.size : index
  if (at > (map.get(item.id) ?? -1)) map.set(item.id, at)
  return { items: index === -1 ? listPush(items, item) : listSet(items, index, item), highestIndexes }
}

/** Returns the items as a new array. */
export function keyedToArray<Item extends Keyed>({ items }: KeyedList<Item>): Item[] {
  return listToArray(items)
}

// While there is no map, there is only one version of the list: `keyedPut` makes the map before it makes another version.
function mapOf<Item extends Keyed>({ items, highestIndexes }: KeyedList<Item>): Map<string, number> {
  highestIndexes.map ??= new Map(listToArray(items).map(({ id }, index) => [id, index]))
  return highestIndexes.map
}
