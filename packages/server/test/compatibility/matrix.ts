import type { conversations } from './conversations/conversations.ts'
import type { ScenarioName } from './scenarios.ts'
import type { Word } from './words.ts'

/** The columns of the table: single answers first, then conversations. */
export const columns = [
  'text',
  'text-tool-text',
  'reasoning',
  'parallel tools',
  'sub-agents',
  'error',
  'stop',
  'approval',
  'resume',
  'edit',
  'regenerate',
  'stop, then send',
  'history',
] as const satisfies readonly ColumnName[]

export type ColumnName = ScenarioName | ConversationName

export type Cell = readonly [Word, ...Word[]]

export type ConversationName = keyof typeof conversations | 'history'

export interface Row {
  /** The package that the client is in. */
  readonly package: string
  readonly cells: Readonly<Record<ColumnName, Cell>>
}

const whole = {
  text: ['whole'],
  'text-tool-text': ['whole'],
  reasoning: ['whole'],
  'parallel tools': ['whole'],
  'sub-agents': ['whole'],
  error: ['whole'],
  stop: ['whole'],
  approval: ['approves'],
  resume: ['continues'],
  edit: ['whole'],
  regenerate: ['whole'],
  'stop, then send': ['whole'],
  history: ['whole'],
} as const satisfies Row['cells']

/** Whoever has only this client sends everything with requests beside it. */
const readsOnly = {
  approval: ['approved beside'],
  edit: ['n/a: only reads'],
  regenerate: ['n/a: only reads'],
  'stop, then send': ['n/a: only reads'],
} as const
const log = { ...whole, ...readsOnly } as const
const run = { ...log, history: ['last answer'] } as const
const stock = {
  ...whole,
  'sub-agents': ['on request'],
  resume: ['replays'],
  history: ['no sub-agents'],
} as const
const stream = { ...stock, ...readsOnly, history: ['last answer'] } as const
const events = {
  ...whole,
  reasoning: ['left out'],
  'sub-agents': ['calls only'],
  resume: ['comes back'],
  edit: ['n/a: no branches'],
  regenerate: ['n/a: no branches'],
  'stop, then send': ['last answer'],
  history: ['last answer'],
} as const

/** What every client shows of every scenario, by where the client runs. `docs/compatibility.md` says the same. */
export const matrix = {
  node: {
    ai: { package: 'ai', cells: stock },
    '@ai-sdk/vue': { package: '@ai-sdk/vue', cells: stock },
    'assistant-stream, chunks': {
      package: 'assistant-stream',
      cells: { ...stream, 'sub-agents': ['on request', 'unmarked'], stop: ['as finished'] },
    },
    'assistant-stream, data stream': {
      package: 'assistant-stream',
      cells: { ...stream, 'sub-agents': ['left out'] },
    },
    '@ag-ui/client': {
      package: '@ag-ui/client',
      cells: { ...whole, resume: ['asks again'], history: ['no sub-agents'] },
    },
    'eventsource, chat log': { package: 'eventsource', cells: log },
    'eventsource, run stream': { package: 'eventsource', cells: run },
    createChat: { package: '@throughline/client', cells: whole },
    'useAgentChat, Vue': { package: '@throughline/client', cells: whole },
    queryAgent: { package: '@throughline/client', cells: events },
  },
  page: {
    '@ai-sdk/react': { package: '@ai-sdk/react', cells: stock },
    'useAgentChat, React': { package: '@throughline/client', cells: whole },
    'useAgentStream, React': {
      package: '@throughline/client',
      cells: {
        ...events,
        'text-tool-text': ['text apart'],
        'parallel tools': ['text apart'],
        'sub-agents': ['calls only', 'text apart'],
        stop: ['text apart'],
        approval: ['approves', 'text apart'],
        resume: ['comes back', 'text apart'],
        history: ['n/a: one query'],
      },
    },
  },
  browser: {
    'EventSource, chat log': { package: '@sparticuz/chromium', cells: log },
    'EventSource, run stream': { package: '@sparticuz/chromium', cells: run },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Row>>>>
