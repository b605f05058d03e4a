// The entry point `@throughline/client/vue`.

/** @public */
export { ChatInterface, type ChatInterfaceProps, chatInterfaceCss } from './vue/chat-interface.ts'
/** @public */
export { type ChatWords, chineseWords, englishWords } from './vue/chat-words.ts'
/** @public */
export { type AgentChat, type AgentStream, useAgentChat, useAgentStream } from './vue/composables.ts'
