import { useAgentChat } from '@throughline/client/react'
import { createRoot } from 'react-dom/client'

// A chat of our own client, with the React of the folder that it is built in.
function Page() {
  const { messages, status, send } = useAgentChat({ chatId: 'chat' })
  return (
    <>
      <button type="button" onClick={() => send('Hello')}>
        Send
      </button>
      <p role="status">{status}</p>
      {messages.map(({ id, parts }) => (
        <p key={id}>{parts.map(part => (part.type === 'text' ? part.text : '')).join('')}</p>
      ))}
    </>
  )
}

const element = document.querySelector('#page')
if (element) createRoot(element).render(<Page />)
