import { HttpAgent } from '@ag-ui/client'
import { useAgUiRuntime } from '@assistant-ui/react-ag-ui'
import { createRoot } from 'react-dom/client'
import { pageRoot, settingsOfPage } from '../player/page-client.ts'
import { RuntimePage } from './present-runtime.tsx'
import { serverHistory } from './server-history.ts'

const { chatId, api } = settingsOfPage()
const agent = new HttpAgent({ url: api, threadId: chatId })

function Page() {
  const runtime = useAgUiRuntime({ agent, adapters: { history: serverHistory } })
  // A call that waits is an interrupt of the run, and is answered as one.
  const approve = (_: unknown, approved: boolean) => {
    const [interrupt] = runtime.unstable_getPendingInterrupts()
    if (interrupt === undefined) throw new Error('No call waits.')
    const response = { interruptId: interrupt.id, status: 'resolved', payload: { approved } } as const
    void runtime.unstable_submitInterruptResponses([response])
  }
  return <RuntimePage runtime={runtime} approve={approve} />
}

createRoot(pageRoot()).render(<Page />)
