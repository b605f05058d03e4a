import { graphemeFloor } from '@throughline/protocol/internal'
import type { BreakKind, BreakScan, ScanOptions } from './break-scan.ts'
import { beginsLikeFence, closingOf, type Fence, fenceAfterText } from './fences.ts'

/**
 * Returns where a block ends when its text has become too long: at the latest break of the best kind. A table or fence
 * that would be torn goes to the next block, however short this block gets. If it is at the start of this block, it is
 * cut between two of its lines. If there is no break at all, the cut is between two graphemes.
 */
export function blockEnd(
  text: string,
  scan: BreakScan,
  limits: Pick<ScanOptions, 'maxEnd' | 'fence'>,
): number {
  const best =
    latestOf(['paragraph', 'newline', 'sentence'], text, scan) ??
    positive(scan.beforeStructure(text)) ??
    latestOf(['inner', 'space'], text, scan)
  if (best !== undefined && overflowAt(best, text, limits) <= 0) return best
  return hardEnd(text, limits)
}

function latestOf(kinds: readonly BreakKind[], text: string, scan: BreakScan): number | undefined {
  for (const kind of kinds) {
    const found = scan.latest(kind)
    if (found === undefined) continue
    const isWithinLine = kind === 'sentence' || kind === 'space'
    // In the middle of a line these characters are no fence. At the start of the next block they would be one.
    if (!isWithinLine || !beginsLikeFence(text.slice(found.next))) return found.end
  }
  return undefined
}

function positive(end: number | undefined): number | undefined {
  return end === 0 ? undefined : end
}

/** Returns by how much a block that ends here would be too long, with the line that closes its fence. */
function overflowAt(
  end: number,
  text: string,
  { maxEnd, fence }: { maxEnd: number; fence: Fence | undefined },
) {
  const open = fenceAfterText(fence, text.slice(0, end))
  return end + (open === undefined ? 0 : closingOf(open).length) - maxEnd
}

function hardEnd(text: string, limits: Pick<ScanOptions, 'maxEnd' | 'fence'>): number {
  const end = fittingEnd(limits.maxEnd, text, limits)
  return fittingEnd(awayFromMarkers(text, end), text, limits)
}

function fittingEnd(latest: number, text: string, limits: Pick<ScanOptions, 'maxEnd' | 'fence'>): number {
  let end = graphemeFloor(text, latest)
  for (;;) {
    const overflow = overflowAt(end, text, limits)
    if (overflow <= 0) return endOfText(text.slice(0, end), limits.fence)
    // Only half of it: a cut through the fence's markers makes the closing line shorter, too.
    end = graphemeFloor(text, end - Math.ceil(overflow / 2))
  }
}

/** Outside a fence, a block does not end with whitespace. */
function endOfText(text: string, fence: Fence | undefined): number {
  return fenceAfterText(fence, text) === undefined ? text.trimEnd().length : text.length
}

// A cut in the middle of a line can turn characters into a fence that were none: text stood in front of them, or behind.
function awayFromMarkers(text: string, end: number): number {
  const lineStart = text.lastIndexOf('\n', end - 1) + 1
  const hasTextBefore = /\S/.test(text.slice(0, lineStart))
  if (hasTextBefore && beginsLikeFence(text.slice(lineStart, end))) return lineStart - 1
  if (!beginsLikeFence(text.slice(end).trimStart())) return end
  let earlier = end
  while (earlier > end / 2 && (isMarkerOrSpace(text[earlier]) || isMarkerOrSpace(text[earlier - 1])))
    earlier -= 1
  return earlier > end / 2 ? earlier : end
}

function isMarkerOrSpace(character: string | undefined): boolean {
  return character === '`' || character === '~' || character === ' ' || character === '\t'
}
