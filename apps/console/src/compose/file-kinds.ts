import { maxFileBytes, maxTextFileBytes } from '@throughline/protocol/internal'

const binaryTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'])
const textTypes = new Map([
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
])
// Files of programmers for which browsers know no type, or not one of a text.
const sourceEndings = new Set(
  'txt log ts tsx jsx js mjs cjs py rs go java kt rb php c h cc cpp hpp cs swift scala lua r sh sql css vue svelte toml yaml yml ini xml diff patch'.split(
    ' ',
  ),
)

/** What a file is sent as. */
export interface FileKind {
  readonly mediaType: string
  /** In bytes. */
  readonly limit: number
}

/** Returns what a file is sent as; `undefined` when the server takes no such file. Source code is sent as plain text. */
export function kindOf({ name, type }: Pick<File, 'name' | 'type'>): FileKind | undefined {
  if (binaryTypes.has(type)) return { mediaType: type, limit: maxFileBytes }
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const textType = textTypes.get(ending)
  if (textType !== undefined) return { mediaType: textType, limit: maxTextFileBytes }
  const isText = (type.startsWith('text/') && type !== 'text/html') || type === 'application/json'
  if (!isText && !sourceEndings.has(ending)) return undefined
  return { mediaType: type === 'application/json' ? type : 'text/plain', limit: maxTextFileBytes }
}
