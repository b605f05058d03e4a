import { asChatError } from '@throughline/client'
import { chatFrom, type Message, messagesOf } from '@throughline/protocol'
import { useCallback, useEffect, useState } from 'react'
import { callServer } from '../call-server.ts'

/** A copy of a chat that somebody shares. */
export interface SharedChat {
  readonly title: string
  /** In ISO format. */
  readonly sharedAt: string
  readonly messages: readonly Message[]
}

export type SharedState =
  | { readonly type: 'loading' | 'failed' | 'unknown' }
  | { readonly type: 'loaded'; readonly chat: SharedChat }

/** Loads the copy that a key opens. Returns it, and a function that tries again. */
export function useSharedChat(key: string): readonly [SharedState, () => void] {
  const [state, setState] = useState<SharedState>({ type: 'loading' })
  const load = useCallback(() => {
    setState({ type: 'loading' })
    callServer('GET', `/api/shared/${encodeURIComponent(key)}`).then(
      chat => setState({ type: 'loaded', chat: readable(chat) }),
      error => setState({ type: isUnknown(asChatError(error).code) ? 'unknown' : 'failed' }),
    )
  }, [key])
  useEffect(load, [load])
  return [state, load]
}

/** Returns the copy with a placeholder for each part that cannot be read. */
function readable(chat: SharedChat): SharedChat {
  return { ...chat, messages: messagesOf(chatFrom(chat.messages, 0)) }
}

/** When the server does not offer sharing, or has no such address, the link leads nowhere too. */
function isUnknown(code: string): boolean {
  return ['share-not-found', 'sharing-off', 'route-not-found'].includes(code)
}
