import { ChatInterface, chatInterfaceCss, englishWords } from '@throughline/client/vue'
import { createApp } from 'vue'

// Its own words are Chinese; give it others, or none. `options` says where the server is and how to ask it, e.g.
// { url: 'https://agents.example', headers: () => ({ authorization: 'Bearer TOKEN' }), agent: 'master', idleMs: 30_000 }
createApp(ChatInterface, { words: englishWords, options: {} }).mount('#app')

const style = document.createElement('style')
style.textContent = chatInterfaceCss
document.head.append(style)
