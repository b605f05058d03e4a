import { fetchServerSentEvents, useChat } from '@tanstack/ai-react'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import type { SavedMessage } from '../player/ag-ui-messages-from.ts'
import { loadHistory, pageRoot, present, settingsOfPage } from '../player/page-client.ts'
import { tanstackMessageFrom } from './message-from.ts'

const { chatId, api } = settingsOfPage()
const connection = fetchServerSentEvents(api)
const history = (await loadHistory<SavedMessage>()).map(tanstackMessageFrom)

function Page() {
  const chat = useChat({ connection, threadId: chatId, initialMessages: history })
  const { messages, isLoading, error } = chat
  const questions = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  useEffect(() =>
    present({
      send: text => void chat.sendMessage(text),
      edit: (number, text) => {
        chat.setMessages(messages.slice(0, questions[number]))
        void chat.sendMessage(text)
      },
      regenerate: () => void chat.reload(),
      stop: () => chat.stop(),
      // While the answer is being written, asking for another one brings the same again, from its beginning.
      resume: () => void chat.reload(),
      approve: approved => {
        const waiting = messages
          .flatMap(({ parts }) => parts)
          .find(part => part.type === 'tool-call' && part.state === 'approval-requested')
        if (waiting?.type !== 'tool-call') throw new Error('No call waits.')
        void chat.addToolApprovalResponse({ id: waiting.approval?.id ?? '', approved })
      },
      shown: {
        messages,
        isBusy: isLoading,
        failure: error?.message,
      },
    }),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is loaded
  useEffect(() => {
    if (history.at(-1)?.role === 'user') void chat.reload()
  }, [])
  return null
}

createRoot(pageRoot()).render(<Page />)
