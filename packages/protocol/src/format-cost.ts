/**
 * Returns US dollars as text for a person; `undefined` when the cost is not known. A small cost is shown as
 * `<$0.0001`, so that it never looks like no cost.
 */
export function formatCost(dollars: number | null | undefined): string | undefined {
  if (dollars == null) return undefined
  if (dollars === 0) return '$0'
  return dollars < smallest ? `<$${smallest}` : `$${dollars.toFixed(4)}`
}

const smallest = 0.0001
