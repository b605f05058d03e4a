/** A plain look for `ChatInterface`. Put it into the page's styles, or write your own. */
export const chatInterfaceCss = `
.chat-container { display: flex; flex-direction: column; gap: 8px; font-family: system-ui, sans-serif; }
.chat-messages { max-height: 500px; overflow-y: auto; padding: 10px; overflow-wrap: anywhere; }
.chat-messages > div { display: flex; flex-direction: column; align-items: flex-start; white-space: pre-wrap; }
.message-content { padding: 8px 12px; border-radius: 8px; margin: 4px 0; }
.user .message-content { background: #e3f2fd; color: #0d2a40; margin-left: auto; max-width: 70%; }
.assistant .message-content { background: #f5f5f5; color: #222; margin-right: auto; }
.assistant.streaming { padding: 8px 12px; opacity: 0.8; }
.system .message-content { padding: 2px 12px; color: #666; font-size: 0.875em; }
.system.error .message-content { color: #b3261e; }
.message-content img { display: block; max-width: 100%; margin-top: 4px; border-radius: 4px; }
.usage { padding: 0 10px; color: #666; font-size: 0.75em; }
.input-area { display: flex; gap: 8px; padding: 0 10px 10px; }
.input-area input { flex: 1; min-width: 0; padding: 8px 12px; font: inherit; }
.input-area button { padding: 8px 16px; font: inherit; }
`
