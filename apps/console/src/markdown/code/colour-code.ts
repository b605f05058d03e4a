import { type StreamParser, StringStream } from '@codemirror/streamparser'

interface ColouredToken {
  readonly text: string
  /** `undefined` for text without a colour. */
  readonly kind: Kind | undefined
}

export type ColouredLine = readonly ColouredToken[]

/** Code of which the first lines are coloured. */
export interface Colours {
  readonly pieces: readonly string[]
  /** The finished lines, each with its line break, in groups. A group that is full never changes. */
  readonly groups: readonly (readonly ColouredLine[])[]
  /** How many characters the finished lines have. */
  readonly length: number
  /** The state of the parser after the finished lines; `undefined` before the first one. */
  readonly state: unknown
  /** The last line, as long as it has no line break. */
  readonly open: ColouredLine
  /** The text after the finished lines that was not coloured, because the time was up. */
  readonly rest: string
}

export const noColours: Colours = {
  pieces: [],
  groups: [],
  length: 0,
  state: undefined,
  open: [],
  rest: '',
}

interface Options {
  readonly parser: StreamParser<unknown>
  /** Is asked after each line. When it returns true, the other lines are left for the next call. */
  readonly isTimeUp: () => boolean
}

/** A longer line is not coloured: it would be parsed again with every character that is added to it. */
const maxLineChars = 2_000
const linesPerGroup = 32
const indentUnit = 2

/**
 * Colours code that grows. `pieces` are the code, cut anywhere. Each line is parsed once, with the state that the parser
 * had after the line before it; only the last line is parsed again. So an update costs as much as the new text.
 */
export function colourCode(
  pieces: readonly string[],
  before: Colours,
  { parser, isTimeUp }: Options,
): Colours {
  const known = continues(pieces, before.pieces) ? before : noColours
  const text = textAfter(pieces, known.length)
  const lines: ColouredLine[] = []
  let state: unknown = known.state ?? parser.startState?.(indentUnit) ?? {}
  let at = 0
  for (let end = text.indexOf('\n') + 1; end > 0; end = text.indexOf('\n', at) + 1) {
    const parsed = colourLine(text.slice(at, end - 1), state, parser)
    lines.push([...parsed.line, { text: '\n', kind: undefined }])
    state = parsed.state
    at = end
    if (isTimeUp()) break
  }
  const rest = text.slice(at)
  const isWhole = !rest.includes('\n')
  return {
    pieces,
    groups: lines.length === 0 ? known.groups : addLines(known.groups, lines),
    length: known.length + at,
    state,
    open: isWhole ? colourLine(rest, state, parser).line : [],
    rest: isWhole ? '' : rest,
  }
}

/** Returns whether code begins with the code that was coloured before. */
function continues(pieces: readonly string[], before: readonly string[]): boolean {
  const last = before.length - 1
  // A long piece may have been cut in two since then, so the last piece is compared with all that follows.
  return (
    before.slice(0, last).every((piece, index) => piece === pieces[index]) &&
    pieces
      .slice(Math.max(last, 0))
      .join('')
      .startsWith(before[last] ?? '')
  )
}

function textAfter(pieces: readonly string[], length: number): string {
  let before = 0
  const parts: string[] = []
  for (const piece of pieces) {
    if (before + piece.length > length) parts.push(piece.slice(Math.max(0, length - before)))
    before += piece.length
  }
  return parts.join('')
}

interface ParsedLine {
  readonly line: ColouredLine
  readonly state: unknown
}

function colourLine(text: string, before: unknown, parser: StreamParser<unknown>): ParsedLine {
  const plain = [{ text, kind: undefined }]
  if (text.length > maxLineChars) return { line: plain, state: before }
  const state = copyState(before, parser)
  try {
    return { line: tokensOf(text, state, parser), state }
  } catch {
    // Some parsers throw at text that is not of their language. Then the line has no colours.
    return { line: plain, state: before }
  }
}

function tokensOf(text: string, state: unknown, parser: StreamParser<unknown>): ColouredLine {
  if (text === '') parser.blankLine?.(state, indentUnit)
  const stream = new StringStream(text, indentUnit, indentUnit)
  const tokens: ColouredToken[] = []
  while (!stream.eol()) {
    const kind = kindOf(nextToken(stream, state, parser))
    const last = tokens.at(-1)
    // Neighbours of the same kind become one element.
    if (last !== undefined && last.kind === kind) tokens.pop()
    tokens.push({ text: (last?.kind === kind ? (last?.text ?? '') : '') + stream.current(), kind })
  }
  return tokens
}

/** A parser may first return empty tokens while it changes its state. This many in a row are a fault. */
const maxEmptyTokens = 10

function nextToken(stream: StringStream, state: unknown, parser: StreamParser<unknown>): string {
  stream.start = stream.pos
  for (let count = 0; count < maxEmptyTokens; count += 1) {
    const style = parser.token(stream, state)
    if (stream.pos > stream.start) return style ?? ''
  }
  throw new Error(`The parser ${parser.name ?? ''} does not move on at position ${stream.pos} of a line.`)
}

/** Copies the state of a parser, because the parser changes it while it reads. */
function copyState(state: unknown, parser: StreamParser<unknown>): unknown {
  if (parser.copyState !== undefined) return parser.copyState(state)
  if (typeof state !== 'object' || state === null) return state
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name, Array.isArray(value) ? value.slice() : value]),
  )
}

function addLines(
  groups: Colours['groups'],
  lines: readonly ColouredLine[],
): readonly (readonly ColouredLine[])[] {
  const last = groups.at(-1) ?? []
  const isFull = last.length >= linesPerGroup
  const open = isFull ? lines : [...last, ...lines]
  const added = Array.from({ length: Math.ceil(open.length / linesPerGroup) }, (_, index) =>
    open.slice(index * linesPerGroup, (index + 1) * linesPerGroup),
  )
  return [...(isFull ? groups : groups.slice(0, -1)), ...added]
}

/** What a piece of code is. Each kind has a colour in styles.css: `.code-keyword`, and so on. */
type Kind = (typeof names)[number][0]

// The parsers were written by many people, who have many names for the same thing.
const names = [
  ['keyword', 'keyword modifier tag tagName heading self'],
  ['string', 'string character regexp quote'],
  ['number', 'number atom bool null unit color literal'],
  ['comment', 'comment'],
  ['name', 'def definition function macroName labelName'],
  ['type', 'type typeName className builtin namespace standard'],
  ['property', 'property propertyName attribute attributeName qualifier'],
  ['meta', 'meta annotation processingInstruction documentMeta link url special'],
  ['added', 'inserted positive'],
  ['removed', 'deleted negative'],
] as const

const kinds: ReadonlyMap<string, Kind> = new Map(
  names.flatMap(([kind, all]) => all.split(' ').map(name => [name, kind] as const)),
)

/** Returns the kind for the style that a parser gives to a token, such as `keyword` or `variableName.definition`. */
function kindOf(style: string): Kind | undefined {
  const [name = '', modifier = ''] = style.split(/[. ]/)
  // Of a variable, only the modifier says what it is.
  return kinds.get(name.startsWith('variable') ? modifier : name)
}
