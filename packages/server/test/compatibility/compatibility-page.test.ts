import { aiSdkReact } from './clients/ai-sdk-react.ts'
import { reactChat } from './clients/use-agent-chat-react.ts'
import { reactQuery } from './clients/use-agent-stream.ts'
import { matrix } from './matrix.ts'
import { testRows } from './test-rows.ts'

testRows(matrix.page, {
  '@ai-sdk/react': aiSdkReact,
  'useAgentChat, React': reactChat,
  'useAgentStream, React': reactQuery,
})
