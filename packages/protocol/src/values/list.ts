/**
 * An immutable list. `listPush` and `listSet` return a new list that shares all but a few arrays with the old one.
 * Their cost grows only with the logarithm of the length to base 32. Copying an array would cost its whole length for
 * every delta. The last items are kept apart in `tail`, because they change most often.
 */
export interface List<T> {
  readonly size: number
  /** All items that are not in the tail, as a list of groups of 32 items. */
  readonly groups?: List<readonly T[]> | undefined
  readonly tail: readonly T[]
}

const width = 32

/** Returns a list without items. */
export function emptyList<T>(): List<T> {
  return { size: 0, tail: [] }
}

/** Returns a list of these items. It is built as `listPush` would build it, but in one pass. */
export function listFrom<T>(items: readonly T[]): List<T> {
  const { length: size } = items
  const groupCount = Math.ceil(size / width) - 1
  if (groupCount < 1) return { size, tail: [...items] }
  const groups = Array.from({ length: groupCount }, (_, at) => items.slice(at * width, (at + 1) * width))
  return { size, groups: listFrom(groups), tail: items.slice(groupCount * width) }
}

/** Returns the item at an index; `undefined` when there is none. */
export function listGet<T>({ size, groups, tail }: List<T>, index: number): T | undefined {
  const inTail = index - size + tail.length
  if (inTail >= 0 || !groups) return tail[inTail]
  return listGet(groups, Math.floor(index / width))?.[index % width]
}

/** Returns the list with one more item at its end. */
export function listPush<T>({ size, groups, tail }: List<T>, item: T): List<T> {
  if (tail.length < width) return { size: size + 1, groups, tail: [...tail, item] }
  return { size: size + 1, groups: listPush(groups ?? emptyList(), tail), tail: [item] }
}

/** Returns the list with another item at an index. Throws a `RangeError` when there is no item at this index. */
export function listSet<T>({ size, groups, tail }: List<T>, index: number, item: T): List<T> {
  const inTail = index - size + tail.length
  if (inTail >= 0) return { size, groups, tail: tail.with(inTail, item) }
  const all = groups ?? emptyList()
  const groupIndex = Math.floor(index / width)
  // `with` throws a `RangeError` when there is no such item.
  const group = (listGet(all, groupIndex) ?? []).with(index % width, item)
  return { size, groups: listSet(all, groupIndex, group), tail }
}

/**
 * Returns the results of a function for groups of items, as one new array. If the function is memoised, it works only for
 * the groups that have changed since the last version of the list.
 */
export function listMapGroups<T, Result>(
  { groups, tail }: List<T>,
  map: (group: readonly T[]) => readonly Result[],
): Result[] {
  const results: Result[] = []
  return groups ? results.concat(...listToArray(groups).map(map), map(tail)) : [...map(tail)]
}

/** Returns the items as a new array. */
export function listToArray<T>({ groups, tail }: List<T>): T[] {
  const items: T[] = []
  return groups ? items.concat(...listToArray(groups), tail) : [...tail]
}

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
