import type { StoreSizes } from '@throughline/store'

/** Returns a number of bytes as text for a person. A kilobyte has 1,000 bytes, as on the packaging of disks. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`
}

const units = ['kB', 'MB', 'GB', 'TB']

/** Returns a duration as text for a person. */
export function durationText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Returns the sizes of a database in words, for the operator. Sizes that are 0 or not known are left out. */
export function sizesText({ databaseBytes, freeBytes = 0, walBytes = 0 }: StoreSizes): string {
  const free = freeBytes > 0 ? `, ${bytesText(freeBytes)} of it free` : ''
  const wal = walBytes > 0 ? `, write-ahead log ${bytesText(walBytes)}` : ''
  return `database ${bytesText(databaseBytes)}${free}${wal}`
}
