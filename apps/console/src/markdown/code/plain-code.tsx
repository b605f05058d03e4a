import { memo } from 'react'

export interface CodeProps {
  /** The code. Long code is cut into pieces at line breaks, and only the last piece changes. */
  readonly pieces: readonly string[]
}

/** Draws code without colours. Most code has one piece, which needs no element of its own. */
export function PlainCode({ pieces }: CodeProps) {
  if (pieces.length === 1) return pieces[0]
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end, so an index never changes
  return pieces.map((piece, index) => <Piece key={index} text={piece} />)
}

const Piece = memo(function Piece({ text }: { readonly text: string }) {
  // A block element does not show its last line break. A blank line before that break is shown, as it should be.
  return <span className="block">{text}</span>
})
