import type { Finding } from './history.ts'
import type { ReadHistory } from './read-history.ts'

/** A2: the entries have the numbers 1, 2, 3, … and one epoch. */
export function checkNumbers({ events, entries }: ReadHistory): readonly Finding[] {
  const epoch = events[0]?.position?.epoch
  return events.flatMap(({ position }, index): readonly Finding[] => {
    const expected = index + 1
    const found = entries[index]?.seq
    if (position?.seq === expected && found === expected && position.epoch === epoch) return []
    const detail = `Place ${expected} of the log has the position ${position?.epoch}.${position?.seq} and entry ${found}.`
    const isAgain = position !== undefined && position.seq < expected
    return [{ kind: isAgain ? 'doubled' : 'lost', invariant: 'A2', detail }]
  })
}
