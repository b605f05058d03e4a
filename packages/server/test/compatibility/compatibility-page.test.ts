import { aiSdkReact } from './clients/ai-sdk-react.ts'
import { reactChat } from './clients/use-agent-chat-react.ts'
import { reactQuery } from './clients/use-agent-stream.ts'
import { aiSdkReactTalker } from './conversations/clients/ai-sdk-react.ts'
import { reactChatTalker } from './conversations/clients/use-agent-chat-react.ts'
import { reactQueryTalker } from './conversations/clients/use-agent-stream.ts'
import { testConversations } from './conversations/test-conversations.ts'
import { matrix } from './matrix.ts'
import { testRows } from './test-rows.ts'

testRows(matrix.page, {
  '@ai-sdk/react': aiSdkReact,
  'useAgentChat, React': reactChat,
  'useAgentStream, React': reactQuery,
})

testConversations(matrix.page, {
  '@ai-sdk/react': aiSdkReactTalker,
  'useAgentChat, React': reactChatTalker,
  'useAgentStream, React': reactQueryTalker,
})
