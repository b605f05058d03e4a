export interface FormulaProps {
  /** The formula in TeX; empty when it is not closed. */
  readonly tex: string
  /** The formula as it was written, with its dollars or brackets. */
  readonly source: string
  /** Whether it has a line of its own. */
  readonly isBlock: boolean
}

/** Draws a formula as it was written. */
export function FormulaSource({ source, isBlock }: FormulaProps) {
  return <code className={isBlock ? 'whitespace-pre-wrap' : ''}>{source}</code>
}
