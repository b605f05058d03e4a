import { ChatPage } from '../page/chat-page.tsx'

export default function Page() {
  return <ChatPage url="/ai" />
}
