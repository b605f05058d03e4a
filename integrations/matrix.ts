import type { Word } from './words.ts'

export const columns = [
  'text',
  'text-tool-text',
  'reasoning',
  'parallel tools',
  'sub-agents',
  'error',
  'stop',
  'resume',
  'edit',
  'regenerate',
  'stop, then send',
  'approval',
  'history',
] as const

export type ColumnName = (typeof columns)[number]

export type Cell = readonly [Word, ...Word[]]

export interface Row {
  /** The folder with the client's packages. */
  readonly folder: string
  /** The package that the client is in. */
  readonly package: string
  /** The page's script. */
  readonly page: string
  /** Where it asks, with the form that it wants. */
  readonly api: string
  /** How its messages are read. */
  readonly reads: 'ui messages' | 'AI SDK 4' | 'assistant-ui' | 'AG-UI' | 'TanStack AI'
  readonly cells: Readonly<Record<ColumnName, Cell>>
}

const whole = {
  text: ['whole'],
  'text-tool-text': ['whole'],
  reasoning: ['whole'],
  'parallel tools': ['whole'],
  'sub-agents': ['on request'],
  error: ['whole'],
  stop: ['whole'],
  resume: ['replays'],
  edit: ['whole'],
  regenerate: ['whole'],
  'stop, then send': ['whole'],
  approval: ['approves'],
  history: ['whole'],
} as const satisfies Row['cells']

const sdk6 = { ...whole, resume: ['reloaded'] } as const
const sdk5 = { ...sdk6, approval: ['approved beside', 'as failed'] } as const

const useChat = { package: '@ai-sdk/react', page: 'pages/use-chat.tsx', reads: 'ui messages' } as const
const assistantUi = { folder: 'assistant-ui', reads: 'assistant-ui' } as const
const agUi = '/ag-ui?subAgents=hidden'

/** What every page shows of every conversation. `docs/compatibility.md` says the same. */
export const matrix = {
  '`useChat`, AI SDK 7': { ...useChat, folder: 'ai-sdk-7', api: '/api/chat', cells: whole },
  '`useChat`, AI SDK 6': { ...useChat, folder: 'ai-sdk-6', api: '/api/chat?sdk=6', cells: sdk6 },
  '`useChat`, AI SDK 6.0.0': { ...useChat, folder: 'ai-sdk-6-first', api: '/api/chat?sdk=6', cells: sdk6 },
  '`useChat`, AI SDK 5': { ...useChat, folder: 'ai-sdk-5', api: '/api/chat?sdk=5', cells: sdk5 },
  '`useChat`, AI SDK 5.0.0': { ...useChat, folder: 'ai-sdk-5-first', api: '/api/chat?sdk=5', cells: sdk5 },
  '`useChat`, AI SDK 4': {
    folder: 'ai-sdk-4',
    package: '@ai-sdk/react',
    page: 'ai-sdk-4/page.tsx',
    api: '/api/chat?format=data-stream',
    reads: 'AI SDK 4',
    cells: {
      ...whole,
      'parallel tools': ['as results'],
      'sub-agents': ['left out'],
      stop: ['as results'],
      approval: ['approved beside', 'as failed', 'as results'],
    },
  },
  '`Chat`, Svelte': {
    folder: 'ai-sdk-svelte',
    package: '@ai-sdk/svelte',
    page: 'ai-sdk-svelte/page.ts',
    api: '/api/chat',
    reads: 'ui messages',
    cells: whole,
  },
  'assistant-ui, `useChatRuntime`': {
    ...assistantUi,
    package: '@assistant-ui/react-ai-sdk',
    page: 'assistant-ui/use-chat-runtime.tsx',
    api: '/api/chat',
    cells: { ...whole, 'sub-agents': ['on request', 'text marked'], resume: ['reloaded'] },
  },
  'assistant-ui, `useDataStreamRuntime`': {
    ...assistantUi,
    package: '@assistant-ui/react-data-stream',
    page: 'assistant-ui/use-data-stream-runtime.tsx',
    api: '/api/chat?format=data-stream',
    cells: {
      ...whole,
      'sub-agents': ['left out'],
      resume: ['reloaded'],
      approval: ['approved beside', 'as failed'],
    },
  },
  'assistant-ui, `useAgUiRuntime`': {
    ...assistantUi,
    package: '@assistant-ui/react-ag-ui',
    page: 'assistant-ui/use-ag-ui-runtime.tsx',
    api: agUi,
    cells: {
      ...whole,
      'sub-agents': ['on request', 'unmarked'],
      stop: ['as finished'],
      resume: ['reloaded'],
      approval: ['approves', 'as failed'],
    },
  },
  CopilotKit: {
    folder: 'copilotkit',
    package: '@copilotkit/react-core',
    page: 'copilotkit/page.tsx',
    api: agUi,
    reads: 'AG-UI',
    cells: {
      ...whole,
      'sub-agents': ['on request', 'text marked'],
      stop: ['as finished'],
      resume: ['asks again'],
      approval: ['approves', 'as failed'],
    },
  },
  'TanStack AI': {
    folder: 'tanstack-ai',
    package: '@tanstack/ai-react',
    page: 'tanstack-ai/page.tsx',
    api: agUi,
    reads: 'TanStack AI',
    cells: {
      ...whole,
      'sub-agents': ['on request', 'unmarked'],
      stop: ['as finished'],
      resume: ['continues'],
      approval: ['approves', 'as failed'],
    },
  },
} as const satisfies Readonly<Record<string, Row>>
