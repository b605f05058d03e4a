// @vitest-environment happy-dom
import type { QueryEvent, QueryEventOf } from '@throughline/protocol'
import { encodeQuery } from '@throughline/testing/http/query-event-samples'
import { expect, test } from 'vitest'
import { openChatPage } from '../chat/chat-page.ts'
import { scriptedFetch } from '../events/scripted-queries.ts'

const timestamp = '2026-02-06T10:30:00.123Z'

test.each([
  ['stopped', '回答已停止。'],
  ['limit', '回答已达到上限，内容不完整。'],
] as const)('an answer that ended as "%s" says so under what it had said', async (status, line) => {
  using page = await asked({ type: 'final', content: 'Well', status, timestamp })
  expect(page.lines()).toEqual([
    ['user', 'Hi'],
    ['assistant', 'Well'],
    ['system', line],
  ])
})

test.each([
  ['that nobody knows is not told', null, '1100 tokens'],
  ['of next to nothing never looks like nothing', 0.00001, '1100 tokens · <$0.0001'],
])('a cost %s', async (_, cost, told) => {
  using page = await asked({ type: 'final', content: 'Well', timestamp }, used(cost))
  await page.until(() => page.find('.usage') !== undefined)
  expect(page.find('.usage')?.textContent).toBe(told)
})

/** A page on which one question was answered with these events. */
async function asked(...events: readonly QueryEvent[]) {
  const session = Response.json({ session_id: 'session-1' }, { status: 201 })
  const page = openChatPage({ options: scriptedFetch([session, { pieces: [encodeQuery(events)] }]) })
  await page.send('Hi')
  await page.untilReady()
  return page
}

function used(cost: number | null): QueryEventOf<'usage'> {
  const tokens = { total_tokens: 1100, total_prompt_tokens: 1000, total_completion_tokens: 100 }
  const usage = { ...tokens, total_cost: cost ?? 0, cost_known: cost !== null, by_model: {} }
  return { type: 'usage', session_id: 'session-1', usage, timestamp }
}
