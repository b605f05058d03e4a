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
