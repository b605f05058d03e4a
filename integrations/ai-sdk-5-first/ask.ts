import { DefaultChatTransport } from 'ai'

// Asks a question as a page with AI SDK 5.0.0 does, and prints the error that such a page would show.
const [, , api = ''] = process.argv
const stream = await new DefaultChatTransport({ api }).sendMessages({
  chatId: 'chat',
  messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'How is the weather?' }] }],
  trigger: 'submit-message',
  messageId: undefined,
  abortSignal: undefined,
})
const chunks: string[] = []
try {
  for await (const { type } of stream) chunks.push(type)
  console.log(chunks.join(' '))
} catch (error) {
  console.log(String(error))
}
