import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { expect, test } from 'vitest'
import { serveGuide } from './serve-guide.ts'

test('the agent of createAgent in the guide finds the order', async () => {
  await using server = await serveGuide({ guide: 'langgraph', block: 0 })
  await (await ask(server.url)).text()
  expect((await loadAnswer(server.url)).parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text' },
    { type: 'tool-find_order', state: 'output-available', output: { number: '7', state: 'on its way' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Your order is on its way.' },
  ])
})

test('the graph in the guide says what its nodes write and what its model says', async () => {
  await using server = await serveGuide({ guide: 'langgraph', block: 1 })
  await (await ask(server.url)).text()
  expect((await loadAnswer(server.url)).parts).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'step-start' },
    { type: 'text', text: 'It costs 20 euros.' },
  ])
})

test('the order in the guide is cancelled after the approval', async () => {
  await using server = await serveGuide({ guide: 'langgraph', block: 2 })
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"type":"tool-approval-request"')
  await stream.until('"approvalId":')
  await decide(server.url, approvalIn(stream.bytes), { approved: true })
  await stream.until('[DONE]')
  expect((await loadAnswer(server.url)).parts).toContainEqual(
    expect.objectContaining({ type: 'tool-cancel_order', output: 'The order is cancelled.' }),
  )
})
