// The entry point `@throughline/client/vue`.

/** @public */
export { ChatInterface, type ChatInterfaceProps } from './vue/chat-interface.ts'
/** @public */
export { chatInterfaceCss } from './vue/chat-interface-css.ts'
/** @public */
export { type ChatWords, chineseWords, englishWords } from './vue/chat-words.ts'
/** @public */
export { type AgentChat, useAgentChat } from './vue/use-agent-chat.ts'
/** @public */
export { type AgentStream, useAgentStream } from './vue/use-agent-stream.ts'
