import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ChatPage } from './chat-page.tsx'
import './style.css'

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <ChatPage />
    </StrictMode>,
  )
