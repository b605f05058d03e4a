import { type DecideRequest, type QueryCallbacks, queryAgent } from '@throughline/client/events'
import { type Client, chatId, questionText } from '../client.ts'
import { Screen } from '../screen.ts'
import { type End, failed, finished, stopped } from '../seen.ts'
import { seenInQuery, type Told } from '../seen-in-query.ts'

/** Our client of the event API, without a framework. */
export const plainQuery: Client = async ({ url }) => {
  const screen = new Screen<string>()
  const told: Told[] = []
  let end: End = { status: 'broken off' }
  const asked = Promise.withResolvers<DecideRequest>()
  const callbacks: QueryCallbacks = {
    onTextDelta(delta, full) {
      told.push({ type: 'text', text: delta })
      screen.show(full)
    },
    onToolCall: event => told.push(event),
    onToolResult: event => told.push(event),
    onApprovalRequest: (_, answer) => asked.resolve(answer),
    onFinal: ({ status }) => (end = status === 'stopped' ? stopped : finished),
    onError: ({ error }) => (end = failed(error)),
  }
  const begun = Promise.withResolvers<void>()
  const leaving = new AbortController()
  const options = { url, signal: leaving.signal, onSession: () => begun.resolve() }
  const ended = queryAgent(questionText, chatId, callbacks, options)
  await begun.promise
  return {
    shows: words => screen.shows(words),
    async approve() {
      const answer = await asked.promise
      await answer(true)
    },
    async seen() {
      await ended
      return { ...seenInQuery(told), end }
    },
    [Symbol.asyncDispose]: async () => leaving.abort(),
  }
}
