import { graphemeFloor } from '@throughline/protocol/grapheme-floor'
import type { BreakKind, BreakScan, ScanOptions } from './break-scan.ts'
import { beginsLikeFence, closingOf, type Fence, fenceAfterText } from './fences.ts'

/**
 * Where a block ends whose text has become too long: at the latest break of the best kind. A table or fence that
 * would be torn begins the next block instead, however short this one gets; if it began this one, it is cut
 * between two of its lines. Without any break the cut is between two characters.
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
    // The next block would begin with what was in the middle of a line, and is no fence.
    if (!isWithinLine || !beginsLikeFence(text.slice(found.next))) return found.end
  }
  return undefined
}

function positive(end: number | undefined): number | undefined {
  return end === 0 ? undefined : end
}

/** By how much a block that ends here would be too long, with the line that closes its fence. */
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
    // Half of it, because a cut through the markers themselves makes the closing line shorter too.
    end = graphemeFloor(text, end - Math.ceil(overflow / 2))
  }
}

/** Outside a fence, a cut within whitespace takes none of it along. */
function endOfText(text: string, fence: Fence | undefined): number {
  return fenceAfterText(fence, text) === undefined ? text.trimEnd().length : text.length
}

// Cutting through a line can make a fence of what was none: markers that had text before or behind them.
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
