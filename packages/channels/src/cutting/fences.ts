/** A Markdown code fence that is open. */
export interface Fence {
  readonly marker: '`' | '~'
  /** How many markers opened it. At least as many close it. */
  readonly length: number
  /** The line that opened it, without its line break. */
  readonly opening: string
}

/**
 * Returns the fence that is open after a line. `open` is the one that was open before the line. A fence is closed by a
 * line with the same marker, at least as often, and nothing but whitespace behind it.
 */
export function fenceAfterLine(open: Fence | undefined, line: string): Fence | undefined {
  if (open === undefined) return fenceOpenedBy(line)
  return isClosing(line, open) ? undefined : open
}

/** Returns the fence that is open at the end of a text. A last line without a line break counts as a line. */
export function fenceAfterText(open: Fence | undefined, text: string): Fence | undefined {
  let fence = open
  for (let start = 0; start <= text.length; ) {
    const lineBreak = text.indexOf('\n', start)
    const end = lineBreak === -1 ? text.length : lineBreak
    fence = fenceAfterLine(fence, text.slice(start, end))
    start = end + 1
  }
  return fence
}

/** Returns what must be added to a text that ends inside a fence. */
export function closingOf(fence: Fence): string {
  return `\n${fence.marker.repeat(fence.length)}`
}

/**
 * Returns the line with which a fence goes on in the next block: the line that opened it. If that line and the closing
 * line took more than half of the block, the info string is left out. If that is not enough, only three markers are kept.
 */
export function reopeningOf(fence: Fence, maxChars: number): string {
  const bare = fence.marker.repeat(fence.length)
  const least = fence.marker.repeat(3)
  const room = maxChars / 2 - closingOf(fence).length
  const line = [fence.opening, bare].find(candidate => candidate.length + 1 <= room) ?? least
  return `${line}\n`
}

/** Whether a text begins like a fence, or is too short to tell. */
export function beginsLikeFence(text: string): boolean {
  return /^ {0,3}(?:`{3}|~{3}|`{1,2}$|~{1,2}$)/.test(text)
}

function fenceOpenedBy(line: string): Fence | undefined {
  // With a backtick behind the markers it is inline code, such as ```code```.
  const markers = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/su.exec(line)
  const [, backticks, tildes] = markers ?? []
  if (backticks !== undefined) return { marker: '`', length: backticks.length, opening: line.trimEnd() }
  return tildes === undefined ? undefined : { marker: '~', length: tildes.length, opening: line.trimEnd() }
}

function isClosing(line: string, { marker, length }: Fence): boolean {
  const [, markers] = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line) ?? []
  return markers?.startsWith(marker) === true && markers.length >= length
}
