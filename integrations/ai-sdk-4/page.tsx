import { type Message, useChat } from '@ai-sdk/react'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { loadHistory, pageRoot, present, settingsOfPage } from '../player/page-client.ts'
import { type LaterMessage, messageFrom } from './message-from.ts'

const { chatId, api } = settingsOfPage()

function Page({ history }: { readonly history: Message[] }) {
  const chat = useChat({ id: chatId, api, initialMessages: history })
  const { messages, status, error } = chat
  const questions = messages.filter(({ role }) => role === 'user')
  const before = (message: Message | undefined) =>
    messages.slice(
      0,
      messages.findIndex(({ id }) => id === message?.id),
    )
  // A stream that is resumed begins at its beginning, and this version adds it to the answer that is there.
  const resume = () => {
    const last = messages.at(-1)
    if (last?.role === 'assistant') chat.setMessages(before(last))
    chat.experimental_resume()
  }
  useEffect(() =>
    present({
      send: text => void chat.append({ role: 'user', content: text }),
      edit: (number, text) => {
        chat.setMessages(before(questions[number]))
        void chat.append({ role: 'user', content: text })
      },
      regenerate: () => void chat.reload(),
      stop: () => chat.stop(),
      resume,
      shown: {
        messages,
        isBusy: status === 'submitted' || status === 'streaming',
        failure: error?.message,
      },
    }),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is loaded
  useEffect(() => {
    if (history.at(-1)?.role === 'user') chat.experimental_resume()
  }, [])
  return null
}

const history = await loadHistory<LaterMessage>()
createRoot(pageRoot()).render(<Page history={history.map(messageFrom)} />)
