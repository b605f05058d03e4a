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

/**
 * Whether the text so far may end a sentence. With `latin` it does if whitespace follows. With `wide`, as in Chinese and
 * Japanese, it does whatever follows.
 */
export type SentenceEnd = 'none' | 'latin' | 'wide'

/** Returns whether the text ends a sentence after one more UTF-16 unit. */
export function sentenceEndAfter(end: SentenceEnd, unit: number): SentenceEnd {
  if (wideEnds.has(unit)) return 'wide'
  if (latinEnds.has(unit)) return end === 'wide' ? 'wide' : 'latin'
  if (closers.has(unit)) return end
  return end === 'wide' && isAttached(unit) ? 'wide' : 'none'
}

const latinEnds = unitsOf('.!?')
const wideEnds = unitsOf('。！？；…｡')
/** Quotes, brackets and emphasis behind a sentence belong to it. */
const closers = unitsOf('"\'”’»›)]}*_」』）】》〉］｝｣＂＇〕〗')

function unitsOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map(character => character.charCodeAt(0)))
}

/** Accents, joiners and emoji belong to the sentence before them. A cut there could cut a grapheme in two. */
function isAttached(unit: number): boolean {
  if (unit < 0x300) return false
  const isEmojiUnit =
    (unit >= 0xd83c && unit <= 0xd83e) || unit === 0xdb40 || (unit >= 0xdc00 && unit <= 0xdfff)
  return isEmojiUnit || unit === 0x200d || /\p{M}/u.test(String.fromCharCode(unit))
}

/** Whether a UTF-16 unit is whitespace. The units are those of `\s`, but no regular expression is run for each. */
export function isWhitespace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return unit === 0xa0 || (unit > 0x167f && otherSpaces.has(unit))
}

const otherSpaces: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
])
