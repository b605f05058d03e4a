import { useAgentChat } from '@throughline/client/vue'
import { createApp, defineComponent, h, ref, withModifiers } from 'vue'

// A chat is known by its id: whoever opens it sees the same, also in the middle of an answer, also after a reload.
// In a .vue file the same composable is used in <script setup>, and the part below is the template.
const Chat = defineComponent(
  ({ chatId }: { chatId: string }) => {
    const { chat, send, stop } = useAgentChat({ chatId })
    const text = ref('')

    const submit = withModifiers(() => {
      if (text.value.trim() === '') return
      void send(text.value)
      text.value = ''
    }, ['prevent'])
    const onInput = ({ target }: Event) => {
      if (target instanceof HTMLInputElement) text.value = target.value
    }

    return () =>
      h('main', { 'data-status': chat.value.status }, [
        chat.value.messages.map(message =>
          h('article', { key: message.id, 'data-role': message.role }, [
            h('strong', message.metadata?.senderName ?? message.role),
            message.parts.map(part => h('p', part.type === 'text' ? part.text : part.type)),
          ]),
        ),
        chat.value.error && h('p', { role: 'alert' }, chat.value.error.message),
        h('form', { onSubmit: submit }, [
          h('input', { value: text.value, onInput, placeholder: 'Write a message' }),
          h('button', { type: 'submit' }, 'Send'),
          chat.value.status === 'streaming' && h('button', { type: 'button', onClick: stop }, 'Stop'),
        ]),
      ])
  },
  { props: ['chatId'] },
)

createApp(Chat, { chatId: 'vue-example' }).mount('#app')
