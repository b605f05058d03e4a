import { styleText } from 'node:util'

/** The meaning of a piece of text. This file alone decides which colour that is. */
export type Look = 'plain' | 'faint' | 'name' | 'good' | 'bad' | 'warning'

/** Returns a text with the colours of a look. */
export type Paint = (look: Look, text: string) => string

const styles = {
  faint: ['dim'],
  name: ['bold', 'cyan'],
  good: ['green'],
  bad: ['red'],
  warning: ['yellow'],
} as const

/** Returns a function that colours text. Each piece resets its colours at its end, so that they do not leak. */
export function painter(hasColours: boolean): Paint {
  return (look, text) => {
    if (!hasColours || look === 'plain' || text === '') return text
    return styleText([...styles[look]], text, { validateStream: false })
  }
}
