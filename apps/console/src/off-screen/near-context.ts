import { createContext } from 'react'

/**
 * Whether a part of the page is on the screen, or near it. What is far away has all of its text, but not its buttons and
 * not the colours of its code: they are most of the elements of a long chat.
 */
export const NearContext = createContext(true)
