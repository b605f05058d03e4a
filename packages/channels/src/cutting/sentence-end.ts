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
