import { useAgentChat } from '@throughline/client/react'
import { type FormEvent, useState } from 'react'
import { createRoot } from 'react-dom/client'

// A chat is known by its id: whoever opens it sees the same, also in the middle of an answer, also after a reload.
function Chat({ chatId }: { readonly chatId: string }) {
  const [text, setText] = useState('')
  const { messages, status, error, send, stop } = useAgentChat({ chatId })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    void send(text)
    setText('')
  }

  return (
    <main data-status={status}>
      {messages.map(message => (
        <article key={message.id} data-role={message.role}>
          <strong>{message.metadata?.senderName ?? message.role}</strong>
          {message.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
            <p key={index}>{part.type === 'text' ? part.text : part.type}</p>
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input value={text} onChange={event => setText(event.target.value)} placeholder="Write a message" />
        <button type="submit">Send</button>
        {status === 'streaming' && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </form>
    </main>
  )
}

const app = document.getElementById('app')
if (app !== null) createRoot(app).render(<Chat chatId="react-example" />)
