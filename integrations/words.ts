import {
  type Answer,
  type Call,
  finished,
  type Item,
  type Message,
  type Transcript,
} from '../packages/server/test/compatibility/conversations/transcript.ts'
import type { Return } from '../packages/server/test/compatibility/line.ts'
import { inTurn } from '../packages/server/test/compatibility/scenarios.ts'
import type { Played } from './player/play.ts'

/** What one word in the table stands for. */
export interface Meaning {
  readonly means: string
  /** What the page shows, for what there was to see. */
  readonly shows?: (whole: Transcript) => Transcript
  /** The same when sub-agents are asked for. */
  readonly inline?: (whole: Transcript) => Transcript
  /** How the client comes back when its line is cut. */
  readonly returns?: Return
  /** What the page can do, or cannot do. */
  readonly can?: Partial<Played['can']>
}

const same = (whole: Transcript): Transcript => whole

export type Word = keyof typeof words

/** Every word of the table. Those of one cell count together. */
export const words = {
  whole: { means: 'all that was said and done is there, in true order, with how it ended' },
  'left out': { means: 'this is not told; the rest is whole', shows: withoutSubAgents },
  'on request': {
    means: 'this is not told, but it is with `?subAgents=inline`',
    shows: withoutSubAgents,
    inline: same,
  },
  unmarked: {
    means: 'nothing says who it is from: it stands in the answer as if it were the master’s',
    inline: unmarked,
  },
  'text marked': {
    means:
      'what sub-agents say has their names; what they do stands in the answer as if it were the master’s',
    inline: textMarked,
  },
  'as finished': { means: 'it looks like an answer that has finished', shows: asFinished },
  'as results': {
    means: 'why a call failed or was not allowed stands where its result would stand',
    shows: asResults,
  },
  'as failed': { means: 'a call that was not allowed looks like one that failed', shows: deniedAsFailed },
  continues: { means: 'comes back by itself, after the last position it has', returns: 'continues' },
  replays: { means: 'when told to come back, reads the answer again from its beginning', returns: 'replays' },
  reloaded: {
    means: 'comes back when the page is loaded again, and reads the answer from its beginning',
    returns: 'replays',
    can: { resume: false },
  },
  'asks again': {
    means: 'when the same message is sent again, reads the same answer from its beginning',
    returns: 'asks again',
  },
  approves: {
    means: 'whole; a person allows or refuses the call on the page, and the same answer goes on there',
    can: { approve: true },
  },
  'approved beside': {
    means:
      'the call looks like one at work; it is decided with `POST /api/approvals/:id`, and the answer goes on',
    can: { approve: false },
  },
} as const satisfies Readonly<Record<string, Meaning>>

function withoutSubAgents(whole: Transcript): Transcript {
  return inAnswers(whole, answer => ({ ...answer, subAgents: {} }))
}

function asFinished(whole: Transcript): Transcript {
  return { ...whole, end: finished }
}

function asResults(whole: Transcript): Transcript {
  return inCalls(whole, call => (call.state === 'failed' ? { ...call, state: 'done' } : call))
}

function deniedAsFailed(whole: Transcript): Transcript {
  return inCalls(whole, call =>
    call.state === 'denied' ? { ...call, state: 'failed', output: 'The call was denied.' } : call,
  )
}

/** Everything in one answer, as it happened: nobody knows that another one speaks. */
function unmarked(whole: Transcript): Transcript {
  return inAnswers(whole, () => ({ answer: inTurn, subAgents: {} }))
}

/** Calls of sub-agents stand in the answer; what they say is apart. */
function textMarked(whole: Transcript): Transcript {
  return inAnswers(whole, ({ answer, subAgents }) => {
    const said = Object.entries(subAgents).map(([name, items]) => [
      name,
      items.filter(item => 'text' in item),
    ])
    const shown = inTurn.filter(item => 'tool' in item || answer.includes(item))
    return { answer: shown, subAgents: Object.fromEntries(said) }
  })
}

function inCalls(whole: Transcript, change: (call: Call) => Call): Transcript {
  const changed = (item: Item) => ('tool' in item ? change(item) : item)
  return inAnswers(whole, answer => ({ ...answer, answer: answer.answer.map(changed) }))
}

function inAnswers({ messages, end }: Transcript, change: (answer: Answer) => Answer): Transcript {
  const changed = (message: Message) => ('user' in message ? message : change(message))
  return { messages: messages.map(changed), end }
}
