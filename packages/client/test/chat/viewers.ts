import '../dom.ts'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { effectScope, watch } from 'vue'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import type { ChatOptions } from '../../src/chat/create-chat.ts'
import { useAgentChat } from '../../src/react/hooks.ts'
import { useAgentChat as useAgentChatInVue } from '../../src/vue/composables.ts'

// Test only; needs a DOM.

/** A page that follows a chat, with every snapshot that its framework got. */
export interface Viewer extends Disposable {
  readonly snapshots: readonly ChatSnapshot[]
  until(isAsExpected: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot>
}

export function reactViewer(options: ChatOptions): Viewer {
  const seen = new Snapshots()
  const root = createRoot(document.createElement('div'))
  const Page = () => {
    const chat = useAgentChat(options)
    useEffect(() => seen.add(chat))
    return null
  }
  root.render(createElement(Page))
  return seen.asViewer(() => root.unmount())
}

export function vueViewer(options: ChatOptions): Viewer {
  const seen = new Snapshots()
  const scope = effectScope()
  scope.run(() => {
    const { chat } = useAgentChatInVue(options)
    watch(chat, snapshot => seen.add(snapshot), { immediate: true, flush: 'sync' })
  })
  return seen.asViewer(() => scope.stop())
}

class Snapshots {
  readonly #all: ChatSnapshot[] = []
  readonly #listeners = new Set<() => void>()

  add(snapshot: ChatSnapshot): void {
    this.#all.push(snapshot)
    for (const listener of this.#listeners) listener()
  }

  asViewer(close: () => void): Viewer {
    return {
      snapshots: this.#all,
      until: isAsExpected => this.#until(isAsExpected),
      [Symbol.dispose]: close,
    }
  }

  #until(isAsExpected: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
    return new Promise(resolve => {
      const look = () => {
        const snapshot = this.#all.at(-1)
        if (snapshot === undefined || !isAsExpected(snapshot)) return
        this.#listeners.delete(look)
        resolve(snapshot)
      }
      this.#listeners.add(look)
      look()
    })
  }
}
