import { type AssistantRuntime, AssistantRuntimeProvider, type ThreadMessage } from '@assistant-ui/react'
import { useEffect, useSyncExternalStore } from 'react'
import { present } from '../player/page-client.ts'

interface RuntimePageProps {
  readonly runtime: AssistantRuntime
  /** How a call that waits is answered, where the runtime has a way. */
  readonly approve?: ((thread: AssistantRuntime['thread'], approved: boolean) => void) | undefined
}

/** A page on any runtime of assistant-ui: all of them offer the same to a page. */
export function RuntimePage({ runtime, approve }: RuntimePageProps) {
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Present runtime={runtime} approve={approve} />
    </AssistantRuntimeProvider>
  )
}

function Present({ runtime: { thread }, approve }: RuntimePageProps) {
  const { messages, isRunning, isLoading } = useSyncExternalStore(thread.subscribe, thread.getState)
  const of = (role: ThreadMessage['role']) => messages.filter(message => message.role === role)
  useEffect(() => {
    // History is on its way. An answer that is being written counts as loading, too, but there is something to see.
    if (isLoading && messages.length === 0) return
    present({
      send: text => thread.append(text),
      edit: (number, text) => {
        const { composer } = thread.getMessageById(of('user')[number]?.id ?? '')
        composer.beginEdit()
        composer.setText(text)
        composer.send()
      },
      regenerate: () => thread.getMessageById(of('assistant').at(-1)?.id ?? '').reload(),
      stop: () => thread.cancelRun(),
      ...(approve && { approve: approved => approve(thread, approved) }),
      shown: { messages, isBusy: isRunning },
    })
  })
  return null
}

/** As assistant-ui's own parts of a page do it. */
export function approveInMessage(thread: AssistantRuntime['thread'], approved: boolean): void {
  const last = thread.getState().messages.at(-1)
  const call = last?.content.find(part => part.type === 'tool-call' && part.approval?.approved === undefined)
  if (last === undefined || call?.type !== 'tool-call') throw new Error('No call waits.')
  const part = thread.getMessageById(last.id).getMessagePartByToolCallId(call.toolCallId)
  void part.respondToToolApproval({ approved })
}
