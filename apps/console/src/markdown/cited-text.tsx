import { createContext, useContext } from 'react'

/** The addresses of an answer's sources in order, one a line; an empty line for a source without an address. */
export const CitedSources = createContext('')

/** Draws a text in which `[1]` stands for the first source of the answer. A number without a source stays text. */
export function CitedText({ text }: { readonly text: string }) {
  const sources = useContext(CitedSources)
  if (sources === '') return text
  const addresses = sources.split('\n')
  // Every second piece is a number.
  return text.split(/\[(\d{1,3})\]/).map((piece, index) => {
    if (index % 2 === 0) return piece
    const address = addresses[Number(piece) - 1]
    if (address === undefined || address === '') return `[${piece}]`
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
      <sup key={index}>
        <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={new URL(address).host}>
          {piece}
        </a>
      </sup>
    )
  })
}
