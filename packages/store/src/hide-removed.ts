import type { ChatKey } from '@throughline/protocol'
import type { ChatRemovals } from './chat-removals.ts'
import type { Messages } from './messages.ts'
import type { Run, RunFinder } from './runs.ts'

/** Returns the same messages, without those of chats that are being removed. */
export function hideRemovedMessages(
  messages: Messages,
  removals: Pick<ChatRemovals, 'has' | 'isMarked'>,
): Messages {
  const hide =
    <Rest extends readonly unknown[], Result>(
      read: (chat: ChatKey, ...rest: Rest) => Promise<Result>,
      nothing: Result,
    ) =>
    async (chat: ChatKey, ...rest: Rest): Promise<Result> => {
      if (removals.has(chat)) return nothing
      const result = await read(chat, ...rest)
      // If a removal has begun in the meantime, some of the rows may have been deleted before they were read.
      return (await removals.isMarked(chat)) ? nothing : result
    }
  return {
    load: hide(messages.load, undefined),
    savedSeq: hide(messages.savedSeq, undefined),
    find: hide(messages.find, undefined),
    known: hide(messages.known, new Set()),
    outline: hide(messages.outline, []),
    places: hide(messages.places, new Map()),
    branch: hide(messages.branch, { messages: [], hasOlder: false }),
    subAgents: hide(messages.subAgents, new Map()),
    previous: hide(messages.previous, undefined),
    root: hide(messages.root, undefined),
    last: hide(messages.last, ''),
  }
}

/** Returns the same finder, which does not find the runs of chats that are being removed. */
export function hideRemovedRuns(runs: RunFinder, removals: Pick<ChatRemovals, 'has'>): RunFinder {
  const visible = (run: Run | undefined) => (run === undefined || removals.has(run) ? undefined : run)
  return {
    active: async chat => visible(await runs.active(chat)),
    get: async (ownerId, id) => visible(await runs.get(ownerId, id)),
    ofUserMessage: async (chat, id) => visible(await runs.ofUserMessage(chat, id)),
    lastOfUserMessage: async (chat, id) => visible(await runs.lastOfUserMessage(chat, id)),
    ofAnswer: async (chat, id) => visible(await runs.ofAnswer(chat, id)),
    unfinished: async () => (await runs.unfinished()).filter(run => !removals.has(run)),
    toStop: async () => (await runs.toStop()).filter(run => !removals.has(run)),
    damaged: async () =>
      (await runs.damaged()).filter(({ chat }) => chat === undefined || !removals.has(chat)),
  }
}
