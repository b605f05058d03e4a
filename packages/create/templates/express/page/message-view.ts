import {
  type Chat,
  isToolPart,
  type Message,
  type Part,
  type ToolPart,
  toolInput,
  toolNameOf,
} from '@throughline/client'
import { button, element } from './element.ts'

/** Draws one message: its text, its reasoning and its tool calls, in the order in which they happened. */
export function messageView(message: Message, chat: Chat): HTMLElement {
  const { role, parts, metadata } = message
  const view = element('article', { class: role })
  if (role === 'assistant') view.append(element('h2', {}, metadata?.senderName ?? 'Assistant'))
  view.append(...parts.flatMap(part => partView(part, chat)))
  if (metadata?.statusText) {
    const kind = metadata.status === 'failed' ? 'alert' : 'status'
    view.append(element('p', { role: kind }, metadata.statusText))
  }
  return view
}

function partView(part: Part, chat: Chat): HTMLElement[] {
  // Models write Markdown. To show it as such, put your Markdown renderer here.
  if (part.type === 'text') return [element('p', {}, part.text)]
  if (part.type === 'reasoning') return [element('p', { class: 'hint' }, part.text)]
  return isToolPart(part) ? [toolCard(part, chat)] : []
}

/** A tool call: its state, its input and its output. If a person has to approve it, two buttons. */
function toolCard(part: ToolPart, chat: Chat): HTMLElement {
  const { state, approval, toolCallId } = part
  const title = element('h3', {}, `${part.title ?? toolNameOf(part)} `)
  title.append(element('span', { class: 'hint' }, stateTexts[state]))
  const card = element(
    'section',
    { class: 'tool', 'data-state': state },
    title,
    ...valueView(toolInput(part)),
  )
  if (state === 'approval-requested' && approval !== undefined)
    card.append(
      element(
        'div',
        { class: 'buttons' },
        button('Approve', () => chat.approve(approval.id, true)),
        button('Deny', () => chat.approve(approval.id, false), { class: 'quiet' }),
      ),
    )
  // What sub-agents say while they work for this call.
  const subAgents = chat.messages.filter(({ metadata }) => metadata?.parent?.toolCallId === toolCallId)
  card.append(...subAgents.map(each => messageView(each, chat)))
  if (state === 'output-available') card.append(...valueView(part.output))
  if (state === 'output-error') card.append(element('p', { role: 'alert' }, part.errorText ?? ''))
  return card
}

const stateTexts: Record<ToolPart['state'], string> = {
  'input-streaming': 'is being called',
  'input-available': 'is running',
  'approval-requested': 'waits for you',
  'approval-responded': 'is running',
  'output-available': 'is done',
  'output-error': 'has failed',
  'output-denied': 'was not allowed',
}

/** A value as JSON, on one line if it is short. */
function valueView(value: unknown): HTMLElement[] {
  if (value === undefined) return []
  const line = typeof value === 'string' ? value : JSON.stringify(value)
  const isShort = typeof value === 'string' || line.length <= 60
  return [element('pre', {}, isShort ? line : JSON.stringify(value, null, 2))]
}
