import { useAgentChat } from '@throughline/client/vue'
import { createApp, h } from 'vue'

// A chat of our own client, with the Vue of the folder that it is built in.
const page = {
  setup() {
    const { chat, send } = useAgentChat({ chatId: 'chat' })
    return () => [
      h('button', { onClick: () => send('Hello') }, 'Send'),
      h('p', { role: 'status' }, chat.value.status),
      chat.value.messages.map(({ id, parts }) =>
        h('p', { key: id }, parts.map(part => (part.type === 'text' ? part.text : '')).join('')),
      ),
    ]
  },
}

createApp(page).mount('#page')
