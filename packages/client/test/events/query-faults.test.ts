import { setImmediate as nextTurn } from 'node:timers/promises'
import type { QueryEvent } from '@throughline/protocol'
import { scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { seededFaults, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { patientFetch } from '@throughline/testing/faults/patient-fetch'
import { trySeeds } from '@throughline/testing/faults/try-seeds'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { encodeQuery } from '@throughline/testing/http/query-event-samples'
import { query, queryEvents } from '@throughline/testing/http/query-requests'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { emptyQuery, eventsOf, foldQuery } from '../../src/events/query-state.ts'
import { QueryStore } from '../../src/events/query-store.ts'
import { isSilence } from '../http/is-silence.ts'
import { recordingCallbacks, scriptedFetch } from './scripted-queries.ts'

const runCount = Number(process.env['QUERY_FAULT_RUNS'] ?? 24)
const concurrency = 8

test(
  `whatever the network does, a query is answered by one run, and the callbacks are those of an uncut one (${runCount} seeds)`,
  async () => {
    const counted = countedAgent()
    await using server = await startTestServer({ agents: [counted.agent], heartbeatMs: 100 })
    await trySeeds(runCount, { concurrency }, seed => ask(server, seed))
    expect(counted.runs()).toBe(runCount)
  },
  120_000 + runCount * 1_000,
)

/** Asks one query over a bad network: with callbacks or with a store, in a new session or in a given one. */
async function ask(server: TestServer, seed: number): Promise<void> {
  await using proxy = await startFaultProxy(server.url, seededFaults(seed))
  const given = seed % 2 === 0 ? `session-${seed}` : null
  const options = {
    url: proxy.url,
    idleMs: 500,
    // On a slow machine, many connections in a row may bring nothing new. Only the test's own limit ends that.
    maxRetries: Number.POSITIVE_INFINITY,
    backoff: { firstMs: 5, maxMs: 50 },
    fetch: patientFetch(isSilence),
  }
  if (seed % 3 === 0) {
    const store = new QueryStore({ ...options, onFrame: callback => void setImmediate(callback) })
    await store.query('How is the weather?', given)
    const { eventList, ...state } = store.getSnapshot()
    const events = eventsOf(eventList)
    expect(state, `seed ${seed}`).toEqual(events.reduce(foldQuery, emptyQuery))
    expect(events, `seed ${seed}`).toEqual(await uncut(server, state.sessionId))
    return
  }
  let sessionId = ''
  const { calls, callbacks } = recordingCallbacks()
  const text = await queryAgent('How is the weather?', given, callbacks, {
    ...options,
    onSession: id => (sessionId = id),
  })
  expect(calls, `seed ${seed}`).toEqual(await callsFor(await uncut(server, sessionId)))
  expect(text).toBe('Let me look. \n\nThe sky is clear.')
}

/** Returns the events of the session's answer over a good network. They are a replay of the same run. */
async function uncut({ url }: TestServer, session_id: string | undefined): Promise<readonly QueryEvent[]> {
  const { messages } = await loadChat(url, session_id)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const fields = { session_id, message_id: messages[0]?.id }
  return queryEvents(await query(url, { fields }))
}

/** Returns the calls of the callbacks for events that come over one connection. */
async function callsFor(events: readonly QueryEvent[]): Promise<readonly unknown[]> {
  const { calls, callbacks } = recordingCallbacks()
  await queryAgent('', null, callbacks, scriptedFetch([{ pieces: [encodeQuery(events)] }]))
  return calls
}

function countedAgent() {
  let runs = 0
  const agent = scriptedAgent('assistant', async function* () {
    runs += 1
    for (const event of textToolText) {
      yield event
      await nextTurn()
    }
  })
  return { agent, runs: () => runs }
}
