import { checkHistory, type Violation } from '@throughline/protocol/history'
import type { ReceivedBlock } from '@throughline/testing/channels/webhook-receiver'

/** One question over a channel, which has a chat of its own. */
export interface ChannelTalk {
  /** The conversation in the channel. */
  readonly id: string
  readonly chatId: string
  /** The words of the answer: 1, 2, 3, … */
  readonly said: readonly string[]
}

export interface TalkFacts {
  readonly talk: ChannelTalk
  /** Everything that the receiver shows: each key once. */
  readonly shown: readonly ReceivedBlock[]
  /** Whether the database may have lost what it had acknowledged. */
  readonly mayLose: boolean
}

/**
 * Returns whether the last word of the answer was posted. It need not be the last of all: after a database was restored, words
 * before it may be posted again, and the receiver knows the last block already.
 */
export function isWholeIn(shown: readonly ReceivedBlock[], { id, said }: ChannelTalk): boolean {
  return wordsIn(shown, id).includes(said.length)
}

/** C6: every word of an answer was posted, in order and once, unless a database has forgotten that it was. */
export function checkTalk({ talk, shown, mayLose }: TalkFacts): readonly Violation[] {
  const { id, chatId, said } = talk
  return checkHistory({
    chatId,
    submissions: [{ messageId: `in_${id}`, text: '', said: said.join(''), accepted: [] }],
    posts: shown.filter(({ conversation }) => conversation === id),
    mayLose,
  })
}

/** Returns how many words were posted again. */
export function wordsPostedAgain({ talk, shown }: Omit<TalkFacts, 'mayLose'>): number {
  const words = wordsIn(shown, talk.id)
  return words.length - new Set(words).size
}

/** Returns the numbers of all words that were posted in a conversation. */
export function wordsIn(shown: readonly ReceivedBlock[], id: string): readonly number[] {
  const own = shown.filter(({ conversation, text }) => conversation === id && !text.startsWith('⚠️'))
  return own.flatMap(({ text }) => [...text.matchAll(/\d+/g)].map(([word]) => Number(word)))
}
