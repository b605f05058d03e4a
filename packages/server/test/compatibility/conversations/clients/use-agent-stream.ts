import '../../dom.ts'
import { type AgentStream, useAgentStream } from '@throughline/client/react'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { chatId } from '../../client.ts'
import { seenInStream } from '../../clients/use-agent-stream.ts'
import { onFrame } from '../../dom.ts'
import { Screen } from '../../screen.ts'
import type { Talker, TalkState } from '../talk.ts'

/** Holds one query. After a reload it begins with nothing. */
export const reactQueryTalker: Talker = {
  async open({ url }) {
    const screen = new Screen<TalkState>()
    const rendered = Promise.withResolvers<AgentStream>()
    const show = (stream: AgentStream) => {
      rendered.resolve(stream)
      const { end, ...answer } = seenInStream(stream)
      screen.show({ transcript: { messages: [answer], end }, isBusy: stream.isStreaming })
    }
    const root = createRoot(document.createElement('div'))
    root.render(createElement(Page, { url, show }))
    const { streamQuery, stop } = await rendered.promise
    return {
      screen,
      send: text => void streamQuery(text, chatId),
      stop: () => void stop(),
      [Symbol.asyncDispose]: async () => root.unmount(),
    }
  },
}

interface PageProps {
  readonly url: string
  readonly show: (stream: AgentStream) => void
}

function Page({ url, show }: PageProps) {
  const stream = useAgentStream({ url, onFrame })
  useEffect(() => show(stream))
  return null
}
