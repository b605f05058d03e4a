/** A block at the top level of a text, such as a paragraph, a list or a table. */
export interface Block {
  /** `whole`: one piece. The others: the kind of block, when it is so long that it was cut into pieces. */
  readonly kind: 'whole' | 'list' | 'table' | 'code' | 'text'
  /**
   * The text to put before each piece but the first, so that it parses as the same kind: the head of a table, for
   * example.
   */
  readonly opening: string
  readonly pieces: readonly string[]
}
