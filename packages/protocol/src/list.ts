/**
 * A list that is never changed: `push` and `set` make a new one that shares all but a few arrays with the
 * old. Their cost does not grow with the length (it does with its logarithm to base 32), where copying an
 * array would cost its length on every delta. The last items stand apart: they change most.
 */
export interface List<T> {
  readonly size: number
  /** All items but those in the tail, in groups of 32: a list of its own. */
  readonly groups?: List<readonly T[]> | undefined
  readonly tail: readonly T[]
}

const width = 32

export function emptyList<T>(): List<T> {
  return { size: 0, tail: [] }
}

export function listFrom<T>(items: readonly T[]): List<T> {
  return items.reduce<List<T>>(listPush, emptyList())
}

export function listGet<T>({ size, groups, tail }: List<T>, index: number): T | undefined {
  const inTail = index - size + tail.length
  if (inTail >= 0 || !groups) return tail[inTail]
  return listGet(groups, Math.floor(index / width))?.[index % width]
}

export function listPush<T>({ size, groups, tail }: List<T>, item: T): List<T> {
  if (tail.length < width) return { size: size + 1, groups, tail: [...tail, item] }
  return { size: size + 1, groups: listPush(groups ?? emptyList(), tail), tail: [item] }
}

export function listSet<T>({ size, groups, tail }: List<T>, index: number, item: T): List<T> {
  const inTail = index - size + tail.length
  if (inTail >= 0) return { size, groups, tail: tail.with(inTail, item) }
  const all = groups ?? emptyList()
  const place = Math.floor(index / width)
  // `with` throws when there is no such item.
  const group = (listGet(all, place) ?? []).with(index % width, item)
  return { size, groups: listSet(all, place, group), tail }
}

export function listToArray<T>({ groups, tail }: List<T>): T[] {
  const items: T[] = []
  return groups ? items.concat(...listToArray(groups), tail) : [...tail]
}
