import '../dom.ts'
import { type AgentStream, useAgentStream } from '@throughline/client/react'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { type Client, chatId, questionText } from '../client.ts'
import { onFrame } from '../dom.ts'
import { Screen } from '../screen.ts'
import { type End, failed, finished, type Seen, stopped } from '../seen.ts'
import { seenInQuery } from '../seen-in-query.ts'

export const reactQuery: Client = async ({ url }) => {
  const screen = new Screen<AgentStream>()
  const root = createRoot(document.createElement('div'))
  root.render(createElement(Page, { url, screen }))
  const { streamQuery, stop } = await screen.until(() => true)
  const ended = streamQuery(questionText, chatId)
  await screen.until(({ isStreaming }) => isStreaming)
  return {
    shows: words => screen.shows(words),
    stop,
    async approve(approvalId) {
      const { approve } = await screen.until(({ approvals }) =>
        approvals.some(({ approval_id }) => approval_id === approvalId),
      )
      await approve(approvalId)
    },
    async seen() {
      await ended
      return seenInStream(await screen.until(({ isStreaming }) => !isStreaming))
    },
    [Symbol.asyncDispose]: async () => root.unmount(),
  }
}

function Page({ url, screen }: { readonly url: string; readonly screen: Screen<AgentStream> }) {
  const stream = useAgentStream({ url, onFrame })
  useEffect(() => screen.show(stream))
  return null
}

/** The page has all text in one piece, and the calls beside it. */
export function seenInStream({ response, toolCalls, error, cutShort }: AgentStream): Seen {
  const calls = toolCalls.flatMap(event =>
    event.type === 'tool_call' || event.type === 'tool_result' ? [event] : [],
  )
  const { answer, subAgents } = seenInQuery(calls)
  return {
    answer: [{ text: response }, ...answer],
    subAgents,
    end: cutShort === 'stopped' ? stopped : endOf(error),
  }
}

function endOf(error: AgentStream['error']): End {
  if (error === undefined) return finished
  return error.code === 'agent-failed' ? failed(error.message) : { status: 'broken off' }
}
