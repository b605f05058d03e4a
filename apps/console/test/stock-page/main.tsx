import { type UIMessage, useChat } from '@ai-sdk/react'
import { createRoot } from 'react-dom/client'

// The AI SDK's own hook with its defaults. The only thing it is told is the chat's id and history.
const id = 'stock'

function StockPage({ history }: { readonly history: UIMessage[] }) {
  const { messages, sendMessage, status, error } = useChat({ id, messages: history, resume: true })
  return (
    <main data-status={status} data-error={error?.message}>
      {messages.map(message => (
        <article key={message.id} data-role={message.role} data-message={message.id}>
          {message.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
            <p key={index} data-part={part.type}>
              {part.type === 'text' ? part.text : part.type}
            </p>
          ))}
        </article>
      ))}
      <button type="button" onClick={() => sendMessage({ text: 'What is the weather in Lisbon?' })}>
        Ask
      </button>
    </main>
  )
}

const page = document.getElementById('page')
const response = await fetch(`/api/chats/${id}/messages`)
const history = response.ok ? (await response.json()).messages : []
if (page !== null) createRoot(page).render(<StockPage history={history} />)
