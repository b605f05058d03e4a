import { agUi } from './clients/ag-ui.ts'
import { aiReaders } from './clients/ai-readers.ts'
import { aiSdkVue } from './clients/ai-sdk-vue.ts'
import { assistantChunks, assistantLines } from './clients/assistant-stream.ts'
import { plainChat } from './clients/create-chat.ts'
import { eventSourceLog, eventSourceStream } from './clients/eventsource.ts'
import { plainQuery } from './clients/query-agent.ts'
import { vueChat } from './clients/use-agent-chat-vue.ts'
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
