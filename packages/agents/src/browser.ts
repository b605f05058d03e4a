// The entry point `@throughline/agents/browser`: the sub-agent that uses web pages, and its tools.

export { BrowserSubAgent } from './browser/browser-sub-agent.ts'
export { browserTools } from './browser/browser-tools.ts'
