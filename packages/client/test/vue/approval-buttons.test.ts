// @vitest-environment happy-dom
import type { QueryEvent } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { englishWords } from '../../src/vue.ts'
import { openChatPage } from '../chat/chat-page.ts'
import { turnUntil } from '../turn-until.ts'

const timestamp = '2026-02-06T10:30:00.123Z'
const call = { tool: 'remove', args: { what: 'all' }, tool_call_id: 'call', display_name: '', timestamp }

test.each([
  ['批准', true],
  ['拒绝', false],
] as const)(
  'a call that waits has the buttons 批准 and 拒绝: %s sends the decision',
  async (label, approved) => {
    const server = waitingServer()
    using page = openChatPage({ options: { fetch: server.fetch } })
    await page.send('Remove it.')
    await page.until(() => page.find('.tool-approval') !== undefined)
    expect(page.lines().at(-1)).toEqual(['system tool waiting', '调用工具: remove'])
    expect(page.find('.tool-status')?.textContent).toBe('等待批准')
    expect(page.find('.generating')?.textContent).toContain('等待您的批准')
    buttonOn(page.element, label).click()
    await turnUntil(() => server.decisions.length === 1)
    expect(server.decisions).toEqual([['/sessions/session-1/approvals/approval-1', { approved }]])
    server.end(approved)
    await page.untilReady()
    expect(page.find('.tool-approval')).toBeUndefined()
    expect(page.lines().at(-1)).toEqual(['assistant', 'Done.'])
  },
)

test('the buttons say what they do in the words of the page', async () => {
  const server = waitingServer()
  using page = openChatPage({ options: { fetch: server.fetch }, words: englishWords })
  await page.send('Remove it.')
  await page.until(() => page.find('.tool-approval') !== undefined)
  expect(
    Array.from(page.element.querySelectorAll('.tool-approval button'), each => each.textContent),
  ).toEqual(['Approve', 'Deny'])
  server.end(false)
  await page.untilReady()
})

function buttonOn(element: HTMLElement, label: string): HTMLButtonElement {
  const button = [...element.getElementsByTagName('button')].find(({ textContent }) => textContent === label)
  if (button === undefined) throw new Error(`There is no button ${label}.`)
  return button
}

/** A server of the event API whose agent waits for approval. */
function waitingServer() {
  const decisions: unknown[] = []
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const write = (...events: readonly QueryEvent[]) => {
    for (const event of events)
      controller?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
  }
  const answer = (path: string, body: unknown): Response => {
    if (path === '/sessions') return Response.json({ session_id: 'session-1' })
    if (path.includes('/approvals/')) {
      decisions.push([path, body])
      return Response.json({})
    }
    const stream = new ReadableStream<Uint8Array>({
      start(opened) {
        controller = opened
      },
    })
    write({ type: 'tool_call', ...call }, { type: 'approval_request', approval_id: 'approval-1', ...call })
    const headers = { 'content-type': 'text/event-stream', 'x-session-id': 'session-1' }
    return new Response(stream, { headers })
  }
  const fetch: typeof globalThis.fetch = async (path, init) =>
    answer(String(path), JSON.parse(String(init?.body)))
  const end = (approved: boolean) => {
    const ids = { approval_id: 'approval-1', tool_call_id: 'call', timestamp }
    write(
      { type: 'approval_response', ...ids, approved, reason: null },
      {
        type: 'tool_result',
        tool: 'remove',
        result: approved ? 'gone' : 'This call was not allowed.',
        tool_call_id: 'call',
        is_error: !approved,
        screenshot_base64: null,
        timestamp,
      },
      { type: 'final', content: 'Done.', timestamp },
    )
    controller?.enqueue(new TextEncoder().encode(': done\n\n'))
    controller?.close()
  }
  return { fetch, decisions, end }
}
