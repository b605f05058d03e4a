import { type Message, textOf } from '@throughline/protocol'
import { type CSSProperties, useState } from 'react'
import { offScreenSize } from '../off-screen/off-screen-size.ts'
import { isBeingWritten } from '../parts/stage.ts'

/** A longer text is laid out only when it comes near the screen, and not with all of its section. */
const maxShortChars = 500

/**
 * Returns the class and the style of a message's box. While it is off the screen, the browser skips a message that is
 * long, or that may become long. A short one is only skipped with its section: the browser asks for each box that it may
 * skip where it is, several times in every animation frame.
 */
export function useArticleBox(message: Message): {
  readonly className: string
  readonly style: CSSProperties
} {
  // Decided once. If the class changed, what is on the screen would jump.
  const [isShort] = useState(() => !isBeingWritten(message) && isShortMessage(message))
  return isShort
    ? { className: '', style: {} }
    : { className: 'off-screen', style: offScreenSize(textOf(message).length) }
}

function isShortMessage(message: Message): boolean {
  return message.parts.every(({ type }) => type === 'text') && textOf(message).length <= maxShortChars
}
