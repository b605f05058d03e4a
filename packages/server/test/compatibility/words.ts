import type { Transcript } from './conversations/transcript.ts'
import type { Return } from './line.ts'
import type { Approval } from './play.ts'
import { inTurn } from './scenarios.ts'
import { finished, type Item, type Seen, type Text } from './seen.ts'

/** What one word in the table stands for. */
export interface Meaning {
  readonly means: string
  /** What the client shows, for what there was to see. */
  readonly shows?: (seen: Seen) => Seen
  /** The same when sub-agents are asked for. */
  readonly inline?: (seen: Seen) => Seen
  /** How the client comes back when its line is cut. */
  readonly returns?: Return
  /** Where a person allows a call that waits. */
  readonly approves?: Approval
  /** What the client shows of a conversation, for what there was to see. */
  readonly converses?: (whole: Transcript) => Transcript
  /** The client has no way to do this. */
  readonly cannot?: true
}

const same = (seen: Seen): Seen => seen

export type Word = keyof typeof words

/** Every word of the table. Those of one cell count together. */
export const words = {
  whole: { means: 'all that was said and done is there, in true order, with how it ended' },
  'left out': { means: 'this is not told; the rest is whole', shows: leftOut },
  'on request': {
    means: 'this is not told, but it is with `?subAgents=inline`',
    shows: leftOut,
    inline: same,
  },
  unmarked: {
    means: 'nothing says who it is from: it stands in the answer as if it were the master’s',
    inline: unmarked,
  },
  'calls only': {
    means: 'what sub-agents do is told, with their names; what they say is not',
    shows: callsOnly,
  },
  'text apart': { means: 'all text is in one piece, and the calls stand beside it', shows: textApart },
  'as finished': { means: 'it looks like an answer that has finished', shows: asFinished },
  approves: {
    means: 'whole; a person allows the call in the client, and the same answer goes on there',
    approves: 'in the client',
  },
  'approved beside': {
    means: 'whole; the call is allowed with `POST /api/approvals/:id`, and the answer goes on',
    approves: 'beside it',
  },
  continues: { means: 'comes back by itself, after the last position it has', returns: 'continues' },
  replays: { means: 'when told to come back, reads the answer again from its beginning', returns: 'replays' },
  'asks again': {
    means: 'when the same message is sent again, reads the same answer from its beginning',
    returns: 'asks again',
  },
  'comes back': {
    means: 'comes back by itself, and reads the same answer again from its beginning',
    returns: 'asks again',
  },
  'last answer': {
    means: 'the last answer is whole; what was said before is in `GET /api/chats/:id/messages`',
    converses: lastAnswer,
  },
  'no sub-agents': {
    means: 'whole, but for sub-agents: they are left out of the history too',
    converses: noSubAgents,
  },
  'n/a: only reads': {
    means:
      'the client only reads; this is done with requests beside it, such as `POST /api/chats/:id/answers`',
    cannot: true,
  },
  'n/a: no branches': {
    means: 'the event API has no branches: a question and its answer have no other versions',
    cannot: true,
  },
  'n/a: one query': {
    means: 'the client holds one query and begins with none; what was said before is in `GET /sessions/:id`',
    cannot: true,
  },
} as const satisfies Readonly<Record<string, Meaning>>

function leftOut({ answer, end }: Seen): Seen {
  return { answer: answer.filter(item => !('reasoning' in item)), subAgents: {}, end }
}

function callsOnly({ subAgents, ...seen }: Seen): Seen {
  const calls = Object.entries(subAgents).map(([name, items]) => [name, items.filter(item => 'tool' in item)])
  return { ...seen, subAgents: Object.fromEntries(calls) }
}

function textApart({ answer, ...seen }: Seen): Seen {
  const text = answer.filter(isText).map(item => item.text)
  return { ...seen, answer: [{ text: text.join('\n\n') }, ...answer.filter(item => !isText(item))] }
}

function asFinished(seen: Seen): Seen {
  return { ...seen, end: finished }
}

function lastAnswer({ messages, end }: Transcript): Transcript {
  return { messages: messages.slice(-1), end }
}

function noSubAgents({ messages, end }: Transcript): Transcript {
  return { messages: messages.map(each => ('user' in each ? each : { ...each, subAgents: {} })), end }
}

/** Text that follows text goes on with it: nobody knows that another one speaks. */
function unmarked(seen: Seen): Seen {
  const answer: Item[] = []
  for (const item of inTurn) {
    const last = answer.at(-1)
    if (last !== undefined && isText(last) && isText(item))
      answer.splice(-1, 1, { text: last.text + item.text })
    else answer.push(item)
  }
  return { ...seen, answer, subAgents: {} }
}

function isText(item: Item): item is Text {
  return 'text' in item
}
