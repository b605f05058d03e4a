/**
 * Plain CSS for `ChatInterface`. Put it into the styles of the page, or write your own. The colours follow the page's
 * `color-scheme`.
 */
export const chatInterfaceCss = `
.chat-container { display: flex; flex-direction: column; gap: 8px; font-family: system-ui, sans-serif; }
.chat-messages { max-height: 500px; overflow-y: auto; padding: 10px; overflow-wrap: anywhere; }
.chat-messages > div { display: flex; flex-direction: column; align-items: flex-start; white-space: pre-wrap; }
.message-content { padding: 8px 12px; border-radius: 8px; margin: 4px 0; }
.user .message-content { background: light-dark(#e3f2fd, #123a58); color: light-dark(#0d2a40, #e3f2fd); margin-left: auto; max-width: 70%; }
.assistant .message-content { background: light-dark(#f5f5f5, #2a2a2a); color: light-dark(#222, #eee); margin-right: auto; }
.assistant.streaming { padding: 8px 12px; opacity: 0.8; }
.system .message-content { padding: 2px 12px; color: light-dark(#666, #aaa); font-size: 0.875em; }
.system.error .message-content { color: light-dark(#b3261e, #f2b8b5); }
.message-content img { display: block; max-width: 100%; margin-top: 4px; border-radius: 4px; }
.chat-messages > .tool { flex-flow: row wrap; align-items: baseline; }
.chat-messages > .tool .message-content { padding-right: 0; }
.tool-status { margin-left: 12px; font-size: 0.75em; padding: 1px 8px; border-radius: 999px; background: light-dark(#eee, #333); color: light-dark(#555, #bbb); }
.tool.running .tool-status { background: light-dark(#e3f2fd, #123a58); color: light-dark(#0b4a7a, #b9dcf7); }
.tool.success .tool-status { background: light-dark(#e4f4e4, #173a1c); color: light-dark(#1b5e20, #b7e2ba); }
.tool.error .tool-status, .tool.unfinished .tool-status { background: light-dark(#fbe9e7, #4a1c18); color: light-dark(#8c1d18, #f2b8b5); }
.tool.waiting .tool-status { background: light-dark(#fff3cd, #4a3a0a); color: light-dark(#664d03, #ffe69c); }
.tool-approval { flex-basis: 100%; display: flex; gap: 8px; margin: 2px 12px 6px; }
.tool-approval button { padding: 4px 14px; font: inherit; font-size: 0.875em; }
.tool-args { flex-basis: 100%; box-sizing: border-box; max-height: 10em; overflow: auto; margin: 2px 12px 4px; padding: 6px 10px; border-radius: 6px; background: light-dark(#f5f5f5, #2a2a2a); color: light-dark(#333, #ddd); font-size: 0.75em; white-space: pre-wrap; }
.generating, .usage { display: flex; align-items: center; gap: 8px; padding: 0 10px; color: light-dark(#666, #aaa); font-size: 0.75em; }
.input-area { display: flex; gap: 8px; padding: 0 10px 10px; }
.input-area input { flex: 1; min-width: 0; padding: 8px 12px; font: inherit; }
.input-area button { padding: 8px 16px; font: inherit; white-space: nowrap; }
`
