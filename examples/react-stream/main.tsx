import { useAgentStream } from '@throughline/client/react'
import { type FormEvent, useState } from 'react'
import { createRoot } from 'react-dom/client'

function Query() {
  const [message, setMessage] = useState('')
  const stream = useAgentStream()

  const ask = (event: FormEvent) => {
    event.preventDefault()
    if (message.trim() === '') return
    // The session of the last answer, so that the agent remembers it. There is none before the first.
    void stream.streamQuery(message, stream.sessionId)
    setMessage('')
  }

  return (
    <main>
      <form onSubmit={ask}>
        <input
          value={message}
          onChange={event => setMessage(event.target.value)}
          placeholder="Ask something"
        />
        <button type="submit">Ask</button>
        {/* `stop` ends the agent's work; `abort` only leaves, and the agent goes on. */}
        {stream.isStreaming && (
          <>
            <button type="button" onClick={stream.stop}>
              Stop
            </button>
            <button type="button" onClick={stream.abort}>
              Stop listening
            </button>
          </>
        )}
      </form>
      <ul>
        {[...stream.tools].map(([id, { status, call }]) => (
          <li key={id} data-status={status}>
            {call?.tool} {JSON.stringify(call?.args)}: {status}
          </li>
        ))}
      </ul>
      <p id="answer">{stream.response}</p>
      {stream.cutShort && <p id="cut-short">The answer is not whole: {stream.cutShort}</p>}
      {stream.isStreaming && (
        <progress value={stream.progress.completed} max={stream.progress.started || 1} />
      )}
      {stream.usage && <p id="usage">{stream.usage.total_tokens} tokens</p>}
      {stream.error && <p role="alert">{stream.error.message}</p>}
    </main>
  )
}

const app = document.getElementById('app')
if (app !== null) createRoot(app).render(<Query />)
