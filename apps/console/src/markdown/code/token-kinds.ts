/** What a piece of code is. Each kind has a colour in styles.css: `.code-keyword`, and so on. */
export type Kind = (typeof names)[number][0]

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
export function kindOf(style: string): Kind | undefined {
  const [name = '', modifier = ''] = style.split(/[. ]/)
  // Of a variable, only the modifier says what it is.
  return kinds.get(name.startsWith('variable') ? modifier : name)
}
