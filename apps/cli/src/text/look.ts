import { styleText } from 'node:util'

/** What a piece of text is to the reader; how that looks is decided here alone. */
export type Look = 'plain' | 'faint' | 'name' | 'good' | 'bad' | 'warning'

export type Paint = (look: Look, text: string) => string

const styles = {
  faint: ['dim'],
  name: ['bold', 'cyan'],
  good: ['green'],
  bad: ['red'],
  warning: ['yellow'],
} as const

/** Every piece ends its own colours, so that nothing that comes between two pieces takes them over. */
export function painter(hasColours: boolean): Paint {
  return (look, text) => {
    if (!hasColours || look === 'plain' || text === '') return text
    return styleText([...styles[look]], text, { validateStream: false })
  }
}
