/** A block at the top level of a text, such as a paragraph, a list or a table. */
export interface Block {
  /** What it is, when it is so long that it was cut into pieces. */
  readonly kind: 'whole' | 'list' | 'table' | 'code' | 'text'
  /** Stands before each piece but the first, so that it reads as what it is: a table's head, a fence's first line. */
  readonly opening: string
  readonly pieces: readonly string[]
}
