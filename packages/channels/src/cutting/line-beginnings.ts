/** Whether a line is a heading, or ends like "These are the steps:". It should stay together with what follows. */
export function isAnnouncement(line: string): boolean {
  return /^ {0,3}#{1,6}\s|[:：]\s*$/.test(line)
}

/** Whether a UTF-16 unit is one of which a code fence is made: a backtick or a tilde. */
export function isFenceMarker(unit: number): boolean {
  return unit === 0x60 || unit === 0x7e
}

/** Whether a UTF-16 unit is the bar with which the row of a table begins. */
export function isTableBar(unit: number): boolean {
  return unit === 0x7c
}

/** Whether a UTF-16 unit may be the first one of a list item: a bullet or a digit. */
export function mayBeginListItem(unit: number): boolean {
  return unit === 0x2d || unit === 0x2a || unit === 0x2b || (unit >= 0x30 && unit <= 0x39)
}
