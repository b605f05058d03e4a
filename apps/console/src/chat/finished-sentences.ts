/** How far a text was read. */
export interface Cursor {
  readonly position: number
  /** The mark with which the block of code at this position began; `undefined` outside of code. */
  readonly fence: string | undefined
}

interface Read {
  /** The sentences that are complete. */
  readonly sentences: readonly string[]
  /** Where the rest begins. */
  readonly cursor: Cursor
}

export const textStart: Cursor = { position: 0, fence: undefined }

/** A longer text without an end is said in pieces, in characters. */
const maxSentenceChars = 1_000
/** If more than this comes at once, only the end of it is said, in characters. */
const maxChars = 10_000

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/**
 * Returns the sentences after a position of a text that is still growing. A Western sentence is complete when something
 * follows it: the point in "3.14" ends nothing. A Chinese sentence is complete with its mark, and a line with its end.
 * `isWhole` says that nothing more will follow. Marks of Markdown are left out, and so is code.
 */
export function finishedSentences(text: string, { position, fence }: Cursor, isWhole: boolean): Read {
  if (text.length - position > maxChars)
    return finishedSentences(text, cursorAt(text, text.length - maxChars), isWhole)
  if (fence !== undefined) return afterCode(text, { position, fence }, isWhole)
  const rest = text.slice(position)
  // Most deltas end no sentence.
  const isCut = isWhole || rest.length > maxSentenceChars
  if (!isCut && !/[.!?…。！？\n]/.test(rest)) return { sentences: [], cursor: { position, fence } }
  const sentences: string[] = []
  let end = position
  for (const { segment, index } of segmenter.segment(rest)) {
    const isLast = index + segment.length === rest.length
    if (isLast && !isCut && !/([。！？][”’」』）]*|\n)$/.test(segment)) break
    end = position + index + segment.length
    const [, opened] = /^ {0,3}(```+|~~~+)/.exec(segment) ?? []
    const isLineStart = position + index === 0 || text[position + index - 1] === '\n'
    if (opened !== undefined && isLineStart) {
      const after = afterCode(text, { position: end, fence: opened }, isWhole)
      return { ...after, sentences: [...sentences, ...after.sentences] }
    }
    const plain = withoutMarks(segment)
    if (/[\p{L}\p{N}]/u.test(plain)) sentences.push(plain)
  }
  return { sentences, cursor: { position: end, fence: undefined } }
}

/** Returns the cursor for a position up to which nothing is to be said. Reads all of the text before it. */
export function cursorAt(text: string, position: number): Cursor {
  const marks = [...text.slice(0, position).matchAll(/^ {0,3}(```+|~~~+)/gm)].map(([, mark]) => mark)
  return { position, fence: marks.length % 2 === 0 ? undefined : marks.at(-1) }
}

/** Returns what follows a block of code, of which nothing is said. */
function afterCode(text: string, { position, fence = '' }: Cursor, isWhole: boolean): Read {
  const rest = text.slice(position)
  const found = new RegExp(`^ {0,3}${fence}[ \\t]*(\\n|$)`, 'm').exec(rest)
  // Without an end of the line, more may follow the mark.
  if (found !== null && (found[1] === '\n' || isWhole)) {
    const end = position + found.index + found[0].length
    return finishedSentences(text, { position: end, fence: undefined }, isWhole)
  }
  return { sentences: [], cursor: { position: position + rest.lastIndexOf('\n') + 1, fence } }
}

function withoutMarks(sentence: string): string {
  return sentence
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[*_`~|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
