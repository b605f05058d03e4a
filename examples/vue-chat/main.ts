import { ChatInterface, chatInterfaceCss, englishWords } from '@throughline/client/vue'
import { createApp } from 'vue'

// Its own words are Chinese; give it others, or none.
createApp(ChatInterface, { words: englishWords }).mount('#app')

const style = document.createElement('style')
style.textContent = chatInterfaceCss
document.head.append(style)
