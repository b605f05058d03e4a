import type { ScenarioName } from './scenarios.ts'
import type { Word } from './words.ts'

export type Cell = readonly [Word, ...Word[]]

export interface Row {
  /** The package that the client is in. */
  readonly package: string
  readonly cells: Readonly<Record<ScenarioName, Cell>>
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
} as const satisfies Row['cells']

const beside = { approval: ['approved beside'] } as const
const stock = { ...whole, 'sub-agents': ['on request'], resume: ['replays'] } as const
const events = {
  ...whole,
  reasoning: ['left out'],
  'sub-agents': ['calls only'],
  resume: ['comes back'],
} as const

/** What every client shows of every scenario, by where the client runs. `docs/compatibility.md` says the same. */
export const matrix = {
  node: {
    ai: { package: 'ai', cells: stock },
    '@ai-sdk/vue': { package: '@ai-sdk/vue', cells: stock },
    'assistant-stream, chunks': {
      package: 'assistant-stream',
      cells: { ...stock, ...beside, 'sub-agents': ['on request', 'unmarked'], stop: ['as finished'] },
    },
    'assistant-stream, data stream': {
      package: 'assistant-stream',
      cells: { ...stock, ...beside, 'sub-agents': ['left out'] },
    },
    '@ag-ui/client': { package: '@ag-ui/client', cells: { ...whole, resume: ['asks again'] } },
    'eventsource, chat log': { package: 'eventsource', cells: { ...whole, ...beside } },
    'eventsource, run stream': { package: 'eventsource', cells: { ...whole, ...beside } },
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
      },
    },
  },
  browser: {
    'EventSource, chat log': { package: '@sparticuz/chromium', cells: { ...whole, ...beside } },
    'EventSource, run stream': { package: '@sparticuz/chromium', cells: { ...whole, ...beside } },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Row>>>>
