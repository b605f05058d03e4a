'use client'

import { useEffect, useState } from 'react'
import { Chat } from './chat.tsx'
import { chatIdInAddress, openNewChat } from './chat-id.ts'

/** The whole page. The address names the chat: reload it, or open it in a second tab, and you see the same chat. */
export function ChatPage({ url }: { url?: string }) {
  const chatId = useChatId()
  return (
    <div className="page">
      <header>
        <h1>__NAME__</h1>
        <button type="button" className="quiet" onClick={openNewChat}>
          New chat
        </button>
      </header>
      {chatId !== undefined && <Chat key={chatId} chatId={chatId} url={url} />}
    </div>
  )
}

/** `undefined` until the page is in a browser: a server does not know the part of the address after the `#`. */
function useChatId(): string | undefined {
  const [chatId, setChatId] = useState<string>()
  useEffect(() => {
    const read = () => setChatId(chatIdInAddress())
    read()
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [])
  return chatId
}
