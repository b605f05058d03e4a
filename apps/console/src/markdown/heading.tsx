import { createContext, createElement, type ReactNode, use } from 'react'

/** The level of the first heading of the text; 0 while it is not known. */
export const TopHeading = createContext(0)

/** The page has two headings above an answer: its title, and the name of the sender. */
const levelsAbove = 2

/**
 * A heading of a text. Screen readers hear levels without gaps: a text that begins with `##` has its first heading
 * directly below the name of the sender. Its look is that of the level which was written.
 */
export function Heading({ level, children }: { readonly level: number; readonly children: ReactNode }) {
  const top = use(TopHeading) || level
  const heardLevel = levelsAbove + Math.max(1, level - top + 1)
  return createElement(`h${level}`, { dir: 'auto', 'aria-level': heardLevel }, children)
}
