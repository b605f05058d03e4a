import { defineConfig } from 'throughline'
import { assistant } from './agents/assistant.ts'
import { sendReport } from './tools/send-report.ts'
import { weather } from './tools/weather.ts'

export default defineConfig({
  // The agents that people can talk to, and the one that answers by default.
  agents: { assistant },
  master: 'assistant',
  // All tools. An agent has those that it names.
  tools: { weather, send_report: sendReport },
  // The tools that wait until a person has approved the call.
  approvals: { send_report: true },
  // What `npm run build` makes, and `npm start` serves.
  page: 'dist',
})
