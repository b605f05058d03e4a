import type { StoreSizes } from '@throughline/store'
import { bytesText } from '../text/bytes.ts'

/** Returns the sizes of a database in words, for the operator. Sizes that are 0 or not known are left out. */
export function sizesText({ databaseBytes, freeBytes = 0, walBytes = 0 }: StoreSizes): string {
  const free = freeBytes > 0 ? `, ${bytesText(freeBytes)} of it free` : ''
  const wal = walBytes > 0 ? `, write-ahead log ${bytesText(walBytes)}` : ''
  return `database ${bytesText(databaseBytes)}${free}${wal}`
}
