import { useDataStreamRuntime } from '@assistant-ui/react-data-stream'
import { createRoot } from 'react-dom/client'
import { pageRoot, settingsOfPage } from '../player/page-client.ts'
import { RuntimePage } from './present-runtime.tsx'
import { serverHistory } from './server-history.ts'

const { chatId, api } = settingsOfPage()

function Page() {
  const runtime = useDataStreamRuntime({
    api,
    protocol: 'data-stream',
    body: { id: chatId },
    adapters: { history: serverHistory },
  })
  return <RuntimePage runtime={runtime} />
}

createRoot(pageRoot()).render(<Page />)
