/**
 * Returns a sentence for somebody who used a name that does not exist. It names the one that was probably meant, or
 * lists the known names (at most 30).
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const names = [...new Set(known)].sort()
  const nearest = nearestName(name, names)
  if (nearest !== undefined) return `Did you mean ${JSON.stringify(nearest)}?`
  if (names.length === 0) return 'There are none.'
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : ''
  return `There are: ${names.slice(0, maxListed).join(', ')}${more}.`
}

/**
 * Returns the known name with the smallest edit distance. Returns `undefined` when every name is too far away: more
 * than a third of the letters, but at least one, would have to change.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3))
  const [nearest] = [...known]
    // The distance is never smaller than the difference in length, so most names can be skipped here.
    .filter(each => Math.abs(each.length - name.length) <= most)
    .map(each => ({ each, distance: editDistance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.each
}

const maxListed = 30

/**
 * Returns the edit distance of two words (Damerau-Levenshtein, restricted): how many letters have to be added, removed,
 * replaced, or swapped with their neighbour.
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1 ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}

/** All keys of an options object. The compiler reports a key that is missing from the list. */
export type KeysOf<Options> = Readonly<Record<keyof Options, true>>

/** Returns a sentence about the first key that is not known, for example misspelled; `undefined` when all are known. */
export function unknownKey(options: object, known: Readonly<Record<string, true>>): string | undefined {
  const key = Object.keys(options).find(each => !Object.hasOwn(known, each))
  return key && `there is no option ${JSON.stringify(key)}. ${didYouMean(key, Object.keys(known))}`
}
