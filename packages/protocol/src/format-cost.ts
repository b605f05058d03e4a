/** Returns dollars for a person to read; `undefined` when nobody knows how many. A small cost never looks like none. */
export function formatCost(dollars: number | null | undefined): string | undefined {
  if (dollars == null) return undefined
  if (dollars === 0) return '$0'
  return dollars < smallest ? `<$${smallest}` : `$${dollars.toFixed(4)}`
}

const smallest = 0.0001
