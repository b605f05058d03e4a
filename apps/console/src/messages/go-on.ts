import type { Message } from '@throughline/protocol'
import { isToolPart, textOf } from '@throughline/protocol'
import { continueRequests } from '@throughline/protocol/internal'

/** The field of a message's metadata that says that a button of this page wrote the message, and which. */
const field = 'writtenBy'
const button = 'continue-button'

/** The metadata of a message that the button "Continue" sends. So nobody takes its words for those of the person. */
export const goOnMetadata = { [field]: button } as const

/** Returns whether the button "Continue" has written a message. */
export function isGoOn({ metadata }: Message): boolean {
  return metadata?.[field] === button
}

/** Returns whether an agent has something to go on from. */
export function canGoOn({ parts }: Message): boolean {
  return parts.some(part => isToolPart(part) || (part.type === 'text' && part.text.trim() !== ''))
}

/**
 * Returns what asks an agent to go on with its answer. The words are in the language of the conversation, which need not
 * be the language of the page: a model tends to answer in the language in which it is spoken to.
 */
export function goOnText(conversation: readonly Message[]): string {
  const said = conversation.findLast(message => message.role === 'user' && !isGoOn(message))
  return said !== undefined && /\p{Script=Han}/u.test(textOf(said))
    ? continueRequests.zh
    : continueRequests.en
}
