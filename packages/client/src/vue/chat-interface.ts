import { defineComponent, h, type ShallowRef, shallowRef, type VNode, watch } from 'vue'
import type { QueryStoreOptions } from '../events/query-store.ts'
import type { ChatLine } from './chat-lines.ts'
import { type ChatWords, chineseWords } from './chat-words.ts'
import type { AgentStream } from './composables.ts'
import { type ShownConversation, useConversation } from './use-conversation.ts'

/** The properties of `ChatInterface`. */
export interface ChatInterfaceProps {
  /** The options of `useAgentStream`, such as the server's address. Each message uses the options at that moment. */
  readonly options?: QueryStoreOptions
  /** Texts that replace the built-in Chinese ones: all of them, or some. */
  readonly words?: Partial<ChatWords>
}

/** A Vue component for a conversation with an agent: the messages, the answer as it is written, and an input. */
export const ChatInterface = defineComponent(
  (props: ChatInterfaceProps) => {
    const words = () => ({ ...chineseWords, ...props.words })
    const conversation = useConversation(() => props.options ?? {}, words)
    const draft = shallowRef('')
    const messages = shallowRef<HTMLElement>()
    const input = shallowRef<HTMLInputElement>()
    const endInView = useEndInView(messages, conversation)
    useFocus(input, conversation)

    const send = () => {
      const message = draft.value
      if (message.trim() === '' || conversation.isBusy.value) return
      draft.value = ''
      void conversation.send(message)
    }
    return () =>
      h('div', { class: 'chat-container' }, [
        h('div', { class: 'chat-messages', role: 'log', ref: messages, ...endInView }, [
          ...conversation.lines.value.map((line, index) =>
            lineNode(line, { index, words: words(), approve: conversation.stream.approve }),
          ),
          streamingNode(conversation),
        ]),
        statusNode(conversation, words()),
        h('div', { class: 'input-area' }, [
          h('input', {
            ref: input,
            value: draft.value,
            disabled: conversation.isBusy.value,
            placeholder: words().placeholder,
            'aria-label': words().placeholder,
            onInput: () => (draft.value = input.value?.value ?? ''),
            onKeydown: (event: KeyboardEvent) => isSend(event) && send(),
          }),
          h(
            'button',
            { type: 'button', class: 'send', disabled: conversation.isBusy.value, onClick: send },
            conversation.isBusy.value ? words().busy : words().send,
          ),
          cancelNode(conversation, words()),
        ]),
      ])
  },
  { name: 'ChatInterface', props: ['options', 'words'] },
)

interface ShownLine {
  readonly index: number
  readonly words: ChatWords
  readonly approve: ShownConversation['stream']['approve']
}

function lineNode(
  { role, content, isError = false, call, screenshot }: ChatLine,
  { index, words, approve }: ShownLine,
): VNode {
  const { approvalId } = call ?? {}
  return h('div', { key: index, class: [role, { error: isError }, call && ['tool', call.status]] }, [
    h('div', { class: 'message-content' }, [
      content,
      screenshot === undefined
        ? null
        : h('img', { src: `data:image/png;base64,${screenshot}`, alt: words.screenshot }),
    ]),
    call && h('span', { class: 'tool-status' }, words.toolStatus[call.status]),
    call && call.args !== '' ? h('pre', { class: 'tool-args' }, call.args) : null,
    approvalId === undefined ? null : approvalButtons({ approvalId, approve, words }),
  ])
}

function streamingNode({ stream }: ShownConversation): VNode | null {
  const response = stream.response.value
  if (!stream.isStreaming.value || response === '') return null
  return h('div', { key: 'streaming', class: 'assistant streaming' }, response)
}

/** Shows that the agent works, and how many tool calls are done. After the end, shows what the answer has used. */
function statusNode({ stream, isBusy }: ShownConversation, words: ChatWords): VNode | null {
  if (isBusy.value) {
    const { started, completed } = stream.progress.value
    return h('div', { class: 'generating', role: 'status' }, [
      stream.approvals.value.length === 0 ? words.generating : words.waiting,
      started === 0 ? null : h('progress', { value: completed, max: started }),
    ])
  }
  const usage = stream.usage.value
  return usage === undefined ? null : h('div', { class: 'usage' }, words.usage(usage))
}

function cancelNode({ isBusy, isStopping, cancel }: ShownConversation, words: ChatWords): VNode | null {
  if (!isBusy.value) return null
  const label = isStopping.value ? words.stopWaiting : words.cancel
  return h('button', { type: 'button', class: 'cancel', onClick: cancel }, label)
}

/**
 * Returns whether a key sends the message. While a person composes a character, Enter does not. In Safari the Enter
 * that ends a composition comes after the composition, with the key code 229.
 */
function isSend({ key, isComposing, keyCode }: KeyboardEvent): boolean {
  return key === 'Enter' && !isComposing && keyCode !== 229
}

/**
 * Scrolls to the end when there is something new, unless the person has scrolled away from the end. Returns handlers for
 * the events of the list.
 */
function useEndInView(messages: ShallowRef<HTMLElement | undefined>, { lines, stream }: ShownConversation) {
  let isAtEnd = true
  let lastTop = 0
  const toEnd = () => {
    const list = messages.value
    if (list === undefined) return
    list.scrollTop = list.scrollHeight
    lastTop = list.scrollTop
  }
  const onScroll = () => {
    const list = messages.value
    if (list === undefined) return
    const isNear = list.scrollHeight - list.scrollTop - list.clientHeight < endIsNearPixels
    // A picture that has loaded can move the end away. That does not count: only a person scrolls up.
    if (isNear) isAtEnd = true
    else if (list.scrollTop < lastTop) isAtEnd = false
    lastTop = list.scrollTop
  }
  // A picture has its height when it has loaded, and its alternative text has one when it cannot be loaded.
  const onPicture = () => {
    if (isAtEnd) toEnd()
  }
  watch(
    [lines, stream.response],
    ([after], [before]) => {
      // A person who has just sent a message wants to see it.
      const hasSent = after.length > before.length && after.at(-1)?.role === 'user'
      if (hasSent) isAtEnd = true
      if (isAtEnd) toEnd()
    },
    { flush: 'post' },
  )
  return { onScroll, onLoadCapture: onPicture, onErrorCapture: onPicture }
}

const endIsNearPixels = 40

/**
 * A disabled input loses the focus. This gives it back when the input is enabled again, unless something else has it.
 */
function useFocus(input: ShallowRef<HTMLInputElement | undefined>, { isBusy }: ShownConversation): void {
  watch(
    isBusy,
    busy => {
      if (!busy && document.activeElement === document.body) input.value?.focus()
    },
    { flush: 'post' },
  )
}

interface ApprovalButtons {
  readonly approvalId: string
  readonly approve: AgentStream['approve']
  readonly words: ChatWords
}

/** Returns the two buttons with which a person approves or denies a tool call. */
function approvalButtons({ approvalId, approve, words }: ApprovalButtons): VNode {
  const button = (name: 'approve' | 'deny') =>
    h(
      'button',
      { type: 'button', class: name, onClick: () => void approve(approvalId, name === 'approve') },
      words[name],
    )
  return h('div', { class: 'tool-approval' }, [button('approve'), button('deny')])
}

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
