/** Returns a number of bytes as text for a person. A kilobyte has 1,000 bytes, as on the packaging of disks. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`
}

const units = ['kB', 'MB', 'GB', 'TB']
