import { createChat, type Message } from '@throughline/client'
import { chatIdInAddress, openNewChat } from './chat-id.ts'
import { button, byId, element } from './element.ts'
import { messageView } from './message-view.ts'

const examples = [
  'What is the weather in Lisbon?',
  'Send a report that I have to approve',
  'Write a long text, and I reload the page in the middle of it',
]

// The address names the chat: reload it, or open it in a second tab, and you see the same chat.
const chat = createChat({ chatId: chatIdInAddress(), url: '/ai' })
chat.subscribe(show)
chat.open()
show()

byId('new-chat').addEventListener('click', openNewChat)
window.addEventListener('hashchange', () => location.reload())
byId('stop').addEventListener('click', () => chat.stop())
byId('composer').addEventListener('submit', submit)
byId('text').addEventListener('keydown', event => {
  // While somebody composes a Chinese or Japanese word, Enter chooses the word.
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
})

function submit(event: Event): void {
  event.preventDefault()
  const field = byId('text')
  if (!(field instanceof HTMLTextAreaElement) || field.value.trim() === '' || isBusy()) return
  void chat.send(field.value)
  field.value = ''
}

function isBusy(): boolean {
  return chat.status === 'submitted' || chat.status === 'streaming'
}

/** Shows the chat as it is now. */
function show(): void {
  // The messages of sub-agents are shown inside of the tool calls that they work for.
  const messages = chat.messages.filter(({ metadata }) => metadata?.parent === undefined)
  byId('messages').replaceChildren(
    ...(messages.length === 0 && chat.status === 'ready' ? [welcome()] : []),
    ...messages.map(drawn),
    ...notes(),
  )
  byId('send').hidden = isBusy()
  byId('stop').hidden = !isBusy()
}

const views = new WeakMap<Message, HTMLElement>()

/**
 * A message that has not changed is the same object as before, and keeps its element. An answer that is being written is
 * always drawn anew: its sub-agents have messages of their own.
 */
function drawn(message: Message): HTMLElement {
  if (message.metadata?.status === 'streaming') return messageView(message, chat)
  const view = views.get(message) ?? messageView(message, chat)
  views.set(message, view)
  return view
}

function welcome(): HTMLElement {
  return element(
    'div',
    { class: 'welcome' },
    element('p', {}, 'Ask the assistant something.'),
    ...examples.map(text => button(text, () => chat.send(text), { class: 'quiet' })),
    element(
      'p',
      { class: 'hint' },
      'Without a key, a scripted demo model answers. For a real one, see .env.example.',
    ),
  )
}

/** What a person should know about the state of the chat. */
function notes(): HTMLElement[] {
  const { status, connection, error, unsent } = chat.getSnapshot()
  return [
    ...(status === 'submitted' ? [element('p', { class: 'hint' }, '…')] : []),
    ...[...unsent].map(([id, problem]) =>
      element(
        'p',
        { role: 'alert' },
        `Your message was not sent: ${problem.message} `,
        button('Send again', () => chat.retry(id), { class: 'quiet' }),
      ),
    ),
    ...(error === undefined ? [] : [element('p', { role: 'alert' }, error.message)]),
    ...(connection === 'lost'
      ? [element('p', { class: 'hint' }, 'The connection is lost. Trying again…')]
      : []),
  ]
}
