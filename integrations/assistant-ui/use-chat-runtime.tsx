import { AssistantChatTransport, useChatRuntime } from '@assistant-ui/react-ai-sdk'
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { createRoot } from 'react-dom/client'
import { loadHistory, pageRoot, settingsOfPage } from '../player/page-client.ts'
import { approveInMessage, RuntimePage } from './present-runtime.tsx'

const { chatId, api } = settingsOfPage()
const transport = new AssistantChatTransport<UIMessage>({
  api,
  // The runtime has ids of its own for its threads. The chat's id is the application's.
  prepareSendMessagesRequest: ({ messages, trigger, messageId }) => ({
    body: { id: chatId, messages, trigger, messageId },
  }),
  // An answer that is being written is found by the chat's id: there may be one, whenever the page is loaded.
  resumable: {
    storage: { getStreamId: () => chatId, setStreamId: () => undefined, clear: () => undefined },
    resumeApi: id => api.replace('/api/chat', `/api/chat/${id}/stream`),
  },
})

function Page({ history }: { readonly history: UIMessage[] }) {
  const runtime = useChatRuntime({
    transport,
    messages: history,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  return <RuntimePage runtime={runtime} approve={approveInMessage} />
}

createRoot(pageRoot()).render(<Page history={await loadHistory<UIMessage>()} />)
