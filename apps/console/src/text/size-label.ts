/** Returns a number of bytes for a person, such as `1.5 KB`. */
export function sizeLabel(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const units = ['KB', 'MB', 'GB']
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1]}`
}
