import { agUi } from './clients/ag-ui.ts'
import { aiReaders } from './clients/ai-readers.ts'
import { aiSdkVue } from './clients/ai-sdk-vue.ts'
import { assistantChunks, assistantLines } from './clients/assistant-stream.ts'
import { plainChat } from './clients/create-chat.ts'
import { eventSourceLog, eventSourceStream, openEventSource } from './clients/eventsource.ts'
import { plainQuery } from './clients/query-agent.ts'
import { vueChat } from './clients/use-agent-chat-vue.ts'
import { agUiTalker } from './conversations/clients/ag-ui.ts'
import { aiReadersTalker } from './conversations/clients/ai-readers.ts'
import { aiSdkVueTalker } from './conversations/clients/ai-sdk-vue.ts'
import { assistantChunksTalker, assistantLinesTalker } from './conversations/clients/assistant-stream.ts'
import { plainChatTalker } from './conversations/clients/create-chat.ts'
import { logTalker, streamTalker } from './conversations/clients/event-source.ts'
import { plainQueryTalker } from './conversations/clients/query-agent.ts'
import { vueChatTalker } from './conversations/clients/use-agent-chat-vue.ts'
import { testConversations } from './conversations/test-conversations.ts'
import { matrix } from './matrix.ts'
import { testRows } from './test-rows.ts'

testRows(matrix.node, {
  ai: aiReaders,
  '@ai-sdk/vue': aiSdkVue,
  'assistant-stream, chunks': assistantChunks,
  'assistant-stream, data stream': assistantLines,
  '@ag-ui/client': agUi,
  'eventsource, chat log': eventSourceLog,
  'eventsource, run stream': eventSourceStream,
  createChat: plainChat,
  'useAgentChat, Vue': vueChat,
  queryAgent: plainQuery,
})

testConversations(matrix.node, {
  ai: aiReadersTalker,
  '@ai-sdk/vue': aiSdkVueTalker,
  'assistant-stream, chunks': assistantChunksTalker,
  'assistant-stream, data stream': assistantLinesTalker,
  '@ag-ui/client': agUiTalker,
  'eventsource, chat log': logTalker(openEventSource),
  'eventsource, run stream': streamTalker(openEventSource),
  createChat: plainChatTalker,
  'useAgentChat, Vue': vueChatTalker,
  queryAgent: plainQueryTalker,
})
