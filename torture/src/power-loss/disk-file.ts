import type { SeededRandom } from '@throughline/agents/testing'

/** A disk writes a sector whole or not at all. */
const sectorBytes = 512

/** What of the unsynced changes a power loss leaves. */
export interface Survival {
  readonly random: SeededRandom
  /** The share of sectors with all their changes, from 0 to 1. The others have some of them, or none. */
  readonly share: number
}

type Change =
  | { readonly order: number; readonly type: 'write'; readonly at: number; readonly bytes: Uint8Array }
  /** From `size` on, up to where the file ended, there are zeros. */
  | { readonly order: number; readonly type: 'resize'; readonly size: number; readonly before: number }

/** A file on a disk: its contents at the last sync, and what was written since then. */
export class DiskFile {
  readonly type = 'file'
  #safe = Buffer.alloc(0)
  #safeSize = 0
  #size = 0
  #unsynced: Change[] = []

  write(order: number, at: number, bytes: Uint8Array): void {
    this.#unsynced.push({ order, type: 'write', at, bytes })
    this.#size = Math.max(this.#size, at + bytes.length)
  }

  resize(order: number, size: number): void {
    this.#unsynced.push({ order, type: 'resize', size, before: this.#size })
    this.#size = size
  }

  /** Makes safe what was written before. */
  sync(order: number): void {
    const later = this.#unsynced.findIndex(change => change.order >= order)
    const synced = later === -1 ? this.#unsynced : this.#unsynced.slice(0, later)
    this.#unsynced = later === -1 ? [] : this.#unsynced.slice(later)
    for (const change of synced) this.#apply(change)
  }

  #apply(change: Change): void {
    const size = sizeAfter(this.#safeSize, change)
    if (size > this.#safe.length) {
      const larger = Buffer.alloc(size * 2)
      this.#safe.copy(larger, 0, 0, this.#safeSize)
      this.#safe = larger
    }
    if (change.type === 'write') this.#safe.set(change.bytes, change.at)
    else this.#safe.fill(0, Math.min(change.size, this.#safeSize), this.#safeSize)
    this.#safeSize = size
  }

  /** The contents as programs see them. */
  contents(): Buffer {
    const contents = Buffer.alloc(Math.max(this.#safeSize, ...this.#unsynced.map(endOf)))
    this.#safe.copy(contents, 0, 0, this.#safeSize)
    for (const change of this.#unsynced) applyTo(contents, change, { from: 0, to: contents.length })
    return contents.subarray(0, this.#size)
  }

  /**
   * The contents after a power loss. Each sector has the changes up to any one of them, whatever the other sectors have. The
   * size is any that the file has had since the last sync. What was never written there has zeros, or what was on the disk before.
   */
  afterPowerLoss({ random, share }: Survival): Buffer {
    const size = pickOne(random, share, this.#sizes())
    const contents = Buffer.alloc(Math.max(size, this.#safeSize, ...this.#unsynced.map(endOf)))
    if (share < 1 && random.next() < 0.3) contents.fill(random.below(256), this.#safeSize)
    this.#safe.copy(contents, 0, 0, this.#safeSize)
    for (const [sector, changes] of this.#changesBySector()) {
      const range = { from: sector * sectorBytes, to: (sector + 1) * sectorBytes }
      const last = pickOne(random, share, [undefined, ...changes])
      const kept = last === undefined ? [] : changes.slice(0, changes.indexOf(last) + 1)
      for (const change of kept) applyTo(contents, change, range)
    }
    return contents.subarray(0, size)
  }

  #sizes(): readonly [number, ...number[]] {
    const sizes: [number, ...number[]] = [this.#safeSize]
    for (const change of this.#unsynced) sizes.push(sizeAfter(sizes.at(-1) ?? 0, change))
    return sizes
  }

  #changesBySector(): ReadonlyMap<number, readonly Change[]> {
    const sectors = new Map<number, Change[]>()
    for (const change of this.#unsynced) {
      const [from, to] =
        change.type === 'write'
          ? [change.at, endOf(change)]
          : [change.size, Math.max(change.before, change.size)]
      for (let sector = Math.floor(from / sectorBytes); sector * sectorBytes < to; sector += 1) {
        const changes = sectors.get(sector)
        if (changes === undefined) sectors.set(sector, [change])
        else changes.push(change)
      }
    }
    return sectors
  }
}

/** Returns the last of several states with the probability `share`, the first one for 0, and otherwise any of them. */
export function pickOne<State>(
  random: SeededRandom,
  share: number,
  states: readonly [State, ...State[]],
): State {
  if (share === 0) return states[0]
  return random.next() < share ? (states.at(-1) ?? states[0]) : random.pick(states)
}

function endOf(change: Change): number {
  return change.type === 'write' ? change.at + change.bytes.length : change.before
}

function sizeAfter(size: number, change: Change): number {
  return change.type === 'write' ? Math.max(size, endOf(change)) : change.size
}

/** Makes a change to a part of the contents. */
function applyTo(
  contents: Buffer,
  change: Change,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  if (change.type === 'resize') {
    contents.fill(0, Math.max(from, change.size), Math.max(from, Math.min(to, contents.length)))
    return
  }
  const start = Math.max(from, change.at)
  const end = Math.min(to, endOf(change))
  if (start < end) contents.set(change.bytes.subarray(start - change.at, end - change.at), start)
}
