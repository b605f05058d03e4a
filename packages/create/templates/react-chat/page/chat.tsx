import { useAgentChat } from '@throughline/client/react'
import { Composer } from './composer.tsx'
import { MessageView } from './message-view.tsx'

const examples = [
  'What is the weather in Lisbon?',
  'Send a report that I have to approve',
  'Write a long text, and I reload the page in the middle of it',
]

/**
 * One chat. `useAgentChat` loads it, follows it, and comes back by itself after a reload or a cut connection: what it
 * returns is what to show. `url` is where the server is; by default, where the page is.
 */
export function Chat({ chatId, url }: { chatId: string; url?: string }) {
  const chat = useAgentChat({ chatId, url })
  const { messages, status, connection, error, unsent } = chat
  // The messages of sub-agents are shown inside of the tool calls that they work for.
  const shown = messages.filter(({ metadata }) => metadata?.parent === undefined)

  return (
    <>
      <main>
        <div className="messages" aria-live="polite">
          {shown.length === 0 && status === 'ready' && (
            <div className="welcome">
              <p>Ask the assistant something.</p>
              {examples.map(text => (
                <button key={text} type="button" className="quiet" onClick={() => chat.send(text)}>
                  {text}
                </button>
              ))}
              <p className="hint">
                Without a key, a scripted demo model answers. For a real one, see .env.example.
              </p>
            </div>
          )}
          {shown.map(message => (
            <MessageView key={message.id} message={message} messages={messages} approve={chat.approve} />
          ))}
          {status === 'submitted' && <p className="hint">…</p>}
          {[...unsent].map(([id, problem]) => (
            <p key={id} role="alert">
              Your message was not sent: {problem.message}{' '}
              <button type="button" className="quiet" onClick={() => chat.retry(id)}>
                Send again
              </button>
            </p>
          ))}
          {error !== undefined && <p role="alert">{error.message}</p>}
          {connection === 'lost' && <p className="hint">The connection is lost. Trying again…</p>}
        </div>
      </main>
      <Composer
        isBusy={status === 'submitted' || status === 'streaming'}
        onSend={chat.send}
        onStop={chat.stop}
      />
    </>
  )
}
