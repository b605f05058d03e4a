import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { sendJson, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

// Clients before AG-UI 1.0 name no version, and refuse a whole run whose outcome they do not know.
test.each([
  ['1.0', { type: 'cancelled' }],
  [undefined, undefined],
])(
  'a stopped run ends for a client of the version %s with the outcome %o',
  async (protocolVersion, outcome) => {
    const { agent } = heldAgent('assistant', { before: [say('Well,')] })
    await using server = await startTestServer({ agents: [agent] })
    const messages = [{ id: 'question', role: 'user', content: 'Is it?' }]
    const body = { threadId: 'chat', runId: 'run', protocolVersion, messages }
    await using stream = new SseBytes(await sendJson(`${server.url}/ag-ui`, body))
    await stream.until('Well,')
    await stop(server.url)
    const last = valuesOf(await stream.rest()).at(-1)
    expect(last).toMatchObject({ type: 'RUN_FINISHED', metadata: { throughline: { status: 'stopped' } } })
    expect(Reflect.get(Object(last), 'outcome')).toEqual(outcome)
  },
)
