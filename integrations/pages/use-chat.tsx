import { useChat } from '@ai-sdk/react'
import * as ai from 'ai'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { loadHistory, pageRoot, present, settingsOfPage } from '../player/page-client.ts'

// One page for AI SDK 5, 6 and 7: each is built with the packages of its own folder. What a version lacks is not used.
const { chatId, api } = settingsOfPage()
const transport = new DefaultChatTransport<UIMessage>({ api })

function Page({ history }: { readonly history: UIMessage[] }) {
  const chat = useChat({
    id: chatId,
    messages: history,
    transport,
    resume: true,
    ...('lastAssistantMessageIsCompleteWithApprovalResponses' in ai && {
      sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses,
    }),
  })
  const { messages, status, error } = chat
  const questions = messages.filter(({ role }) => role === 'user')
  useEffect(() =>
    present({
      send: text => void chat.sendMessage({ text }),
      edit: (number, text) => void chat.sendMessage({ text, messageId: questions[number]?.id ?? '' }),
      regenerate: () => void chat.regenerate(),
      stop: () => void chat.stop(),
      // Before version 7 `resumeStream` adds what comes to the half answer that it has. There the page is loaded again.
      ...(!api.includes('sdk=') && { resume: () => void chat.resumeStream() }),
      ...('addToolApprovalResponse' in chat && {
        approve: approved => {
          const waiting = messages
            .flatMap(({ parts }) => parts)
            .find(part => 'state' in part && part.state === 'approval-requested')
          if (waiting === undefined || !('approval' in waiting)) throw new Error('No call waits.')
          void chat.addToolApprovalResponse({ id: waiting.approval?.id ?? '', approved })
        },
      }),
      shown: {
        messages,
        isBusy: status === 'submitted' || status === 'streaming',
        failure: error?.message,
      },
    }),
  )
  return null
}

createRoot(pageRoot()).render(<Page history={await loadHistory<UIMessage>()} />)
