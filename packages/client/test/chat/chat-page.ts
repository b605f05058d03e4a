import { createApp, h, type MaybeRef, nextTick, toValue } from 'vue'
import type { QueryStoreOptions } from '../../src/events/query-store.ts'
import { ChatInterface, type ChatInterfaceProps } from '../../src/vue.ts'
import { turnUntil } from '../turn-until.ts'

// Test only; needs a DOM.

export interface ChatPageProps extends Pick<ChatInterfaceProps, 'words'> {
  readonly options: MaybeRef<QueryStoreOptions>
}

/** The component on a page, with an animation frame in every turn of the event loop. */
export function openChatPage({ options, words }: ChatPageProps) {
  const element = document.createElement('div')
  document.body.append(element)
  const onFrame = (callback: () => void) => void setImmediate(callback)
  const app = createApp(() =>
    h(ChatInterface, {
      options: { onFrame, ...toValue(options) },
      ...(words === undefined ? {} : { words }),
    }),
  )
  app.mount(element)
  const [input] = element.getElementsByTagName('input')
  const [button] = element.getElementsByTagName('button')
  if (input === undefined || button === undefined) throw new Error('There is nothing to write in.')

  async function write(message: string) {
    if (input === undefined) return
    input.focus()
    input.value = message
    input.dispatchEvent(new Event('input'))
    await nextTick()
  }
  return {
    element,
    input,
    button,
    write,
    until: turnUntil,
    find: (selector: string) => element.querySelector(selector) ?? undefined,
    lines: () =>
      Array.from(element.querySelectorAll('.chat-messages > div:not(.streaming)'), line => [
        line.className,
        line.querySelector('.message-content')?.textContent ?? '',
      ]),
    streaming: () => element.querySelector('.assistant.streaming')?.textContent ?? undefined,
    async press(key: KeyboardEventInit & { readonly keyCode?: number }) {
      input.dispatchEvent(new KeyboardEvent('keydown', key))
      await nextTick()
    },
    async send(message: string) {
      await write(message)
      button.click()
      await nextTick()
    },
    async cancel() {
      const button = element.querySelector('.cancel')
      if (!(button instanceof HTMLButtonElement)) throw new Error('There is nothing to cancel.')
      button.click()
      await nextTick()
    },
    untilReady: () => turnUntil(() => !input.disabled),
    [Symbol.dispose]() {
      app.unmount()
      element.remove()
    },
  }
}
