import { HttpAgent, type Message } from '@ag-ui/client'
import { CopilotKitContext, CopilotKitCoreReact, EMPTY_SET } from '@copilotkit/react-core/v2/context'
import { useAgent, useInterrupt } from '@copilotkit/react-core/v2/headless'
import { useEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { agUiMessagesFrom, type SavedMessage } from '../player/ag-ui-messages-from.ts'
import { loadHistory, pageRoot, present, settingsOfPage } from '../player/page-client.ts'

const { chatId, api } = settingsOfPage()
const saved = await loadHistory<SavedMessage>()
const httpAgent = new HttpAgent({ url: api, threadId: chatId, initialMessages: agUiMessagesFrom(saved) })
const copilotkit = new CopilotKitCoreReact({ agents__unsafe_dev_only: { default: httpAgent } })

// CopilotKit's own windows use the same hooks and the same agent. This page does without the windows.
function Page() {
  const { agent } = useAgent()
  const end = useEnd(agent)
  const waiting = useRef<(approved: boolean) => void>(undefined)
  const interrupt = useInterrupt({
    renderInChat: false,
    render: ({ resolve }) => {
      waiting.current = approved => void resolve({ approved })
      return <p>A call waits.</p>
    },
  })
  const run = (messages: readonly Message[], forwardedProps: Record<string, unknown> = {}) => {
    agent.setMessages([...messages])
    void copilotkit.runAgent({ agent, forwardedProps })
  }
  const { messages } = agent
  const questions = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []))
  const question = (content: string): Message => ({ id: crypto.randomUUID(), role: 'user', content })
  useEffect(() =>
    present({
      send: text => run([...messages, question(text)]),
      edit: (number, text) => run([...messages.slice(0, questions[number]), question(text)]),
      regenerate: () =>
        run(messages.slice(0, (questions.at(-1) ?? 0) + 1), {
          throughline: { trigger: 'regenerate-message' },
        }),
      stop: () => copilotkit.stopAgent({ agent }),
      resume: () => run(messages),
      approve: approved => waiting.current?.(approved),
      shown: {
        messages,
        isBusy: agent.isRunning,
        ...end,
        more: { ...end, isWaiting: interrupt !== null },
      },
    }),
  )
  // A question without an answer: it is being written. Asked again, the same answer comes from its beginning.
  useEffect(() => {
    if (saved.at(-1)?.role === 'user') void copilotkit.runAgent({ agent })
  }, [agent])
  return null
}

/** How the last run ended. */
function useEnd(agent: ReturnType<typeof useAgent>['agent']) {
  const [end, setEnd] = useState<{ readonly failure?: string; readonly outcome?: string }>({})
  useEffect(() => {
    const { unsubscribe } = agent.subscribe({
      onRunStartedEvent: () => setEnd({}),
      onRunFinishedEvent: ({ event }) => setEnd({ outcome: event.outcome?.type ?? 'success' }),
      onRunErrorEvent: ({ event }) => setEnd({ failure: event.message }),
    })
    return unsubscribe
  }, [agent])
  return end
}

createRoot(pageRoot()).render(
  <CopilotKitContext.Provider value={{ copilotkit, executingToolCallIds: EMPTY_SET }}>
    <Page />
  </CopilotKitContext.Provider>,
)
