'use client'

import { useChat } from '@ai-sdk/react'
import { useEffect, useState } from 'react'

// A page as Next's own examples have it. The only thing it knows is the chat's id.
const id = 'next'

export default function Page() {
  const [history, setHistory] = useState()
  useEffect(() => {
    fetch(`/api/chats/${id}/messages?subAgents=hidden&inProgress=false`)
      .then(response => (response.ok ? response.json() : { messages: [] }))
      .then(({ messages }) => setHistory(messages))
  }, [])
  return history === undefined ? <main>…</main> : <Chat history={history} />
}

function Chat({ history }) {
  const { messages, status, sendMessage } = useChat({ id, messages: history, resume: true })
  return (
    <main data-status={status}>
      {messages.map(({ id, role, parts }) => (
        <p key={id}>
          {role}: {parts.map(part => (part.type === 'text' ? part.text : '')).join('')}
        </p>
      ))}
      <button type="button" onClick={() => sendMessage({ text: 'Is it?' })}>
        Ask
      </button>
    </main>
  )
}
