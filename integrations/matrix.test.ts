import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Conversation } from '../packages/server/test/compatibility/conversations/conversation.ts'
import { conversations } from '../packages/server/test/compatibility/conversations/conversations.ts'
import { history } from '../packages/server/test/compatibility/conversations/history.ts'
import type { Read } from '../packages/server/test/compatibility/conversations/shown.ts'
import type { Transcript } from '../packages/server/test/compatibility/conversations/transcript.ts'
import { readAgUi } from '../packages/server/test/compatibility/readers/ag-ui-messages.ts'
import { readUiMessages } from '../packages/server/test/compatibility/readers/ui-messages.ts'
import { type Cell, type ColumnName, columns, matrix, type Row } from './matrix.ts'
import { answers } from './player/answers.ts'
import { approval } from './player/approval.ts'
import { buildPage } from './player/build-page.ts'
import { type BuiltClient, play } from './player/play.ts'
import { readAiSdk4 } from './readers/ai-sdk-4.ts'
import { readAssistantUi } from './readers/assistant-ui.ts'
import { readTanstack } from './readers/tanstack-ai.ts'
import { type Meaning, words } from './words.ts'

const played: Readonly<Record<ColumnName, Conversation>> = { ...answers, ...conversations, approval, history }
const readers: Readonly<Record<Row['reads'], Read>> = {
  'ui messages': readUiMessages,
  'AI SDK 4': readAiSdk4,
  'assistant-ui': readAssistantUi,
  'AG-UI': readAgUi,
  'TanStack AI': readTanstack,
}

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const rows: readonly (readonly [string, Row])[] = Object.entries(matrix)

describe.each(rows)('%s', (_, row) => {
  let page: Awaited<ReturnType<typeof temporaryFolder>>
  beforeAll(async () => {
    page = await temporaryFolder()
    await buildPage(row, page.path)
  })
  afterAll(() => page[Symbol.asyncDispose]())

  const facts = columns.map(column => [column, factOf(row.cells[column])] as const)
  test.concurrent.each(facts)('%s: %s', async column => {
    const { browser } = chromium
    const client = { browser, pageFolder: page.path, api: row.api, read: readers[row.reads] }
    await checkCell(client, { row, column })
  })
})

interface Check {
  readonly row: Row
  readonly column: ColumnName
}

async function checkCell(client: BuiltClient, { row, column }: Check): Promise<void> {
  const { whole } = played[column]
  const meanings = meaningsOf(row.cells[column])
  // A page that is loaded again shows as much of sub-agents as it did before.
  const seen = column === 'history' ? applied(showsOf(row.cells['sub-agents']), whole) : whole
  const { saved, shown, returned, can, given, shouldBeGiven } = await play(client, played[column])
  expect(saved).toEqual(whole)
  expect(given).toEqual(shouldBeGiven)
  expect(shown).toEqual(applied(showsOf(row.cells[column]), seen))
  expect(returned).toBe(meanings.find(({ returns }) => returns !== undefined)?.returns)
  expect(can).toMatchObject(Object.assign({}, ...meanings.map(meaning => meaning.can)))
  const inline = meanings.map(meaning => meaning.inline)
  if (inline.every(each => each === undefined)) return
  const asked = await play({ ...client, api: withSubAgents(client.api) }, played[column])
  expect(asked.shown).toEqual(applied(inline, whole))
}

/** The address that asks for sub-agents in the answer. */
function withSubAgents(api: string): string {
  if (api.includes('subAgents=')) return api.replace(/subAgents=\w+/, 'subAgents=inline')
  return `${api}${api.includes('?') ? '&' : '?'}subAgents=inline`
}

type Change = ((whole: Transcript) => Transcript) | undefined

function applied(changes: readonly Change[], whole: Transcript): Transcript {
  return changes.reduce<Transcript>((shown, change) => change?.(shown) ?? shown, whole)
}

function showsOf(cell: Cell): readonly Change[] {
  return meaningsOf(cell).map(({ shows }) => shows)
}

function meaningsOf(cell: Cell): readonly Meaning[] {
  return cell.map(word => words[word])
}

function factOf(cell: Cell): string {
  return meaningsOf(cell)
    .map(({ means }) => means)
    .join('; ')
}
