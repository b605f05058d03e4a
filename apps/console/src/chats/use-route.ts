import { type ChatId, createId, isChatId } from '@throughline/protocol'
import { useCallback, useEffect, useState } from 'react'
import { addressOf, basePath } from '../base-path.ts'

interface Route {
  readonly chatId: ChatId
  /** The chat is not in the address yet: it begins with its first message. */
  readonly isNew: boolean
}

export interface Router extends Route {
  show(chatId: ChatId): void
  startNew(): void
  /** Puts a new chat into the address, so that a reload comes back to it. */
  keepAddress(): void
}

/** Returns the chat that the address names. */
export function useRoute(): Router {
  const [route, setRoute] = useState<Route>(routeFromAddress)
  useEffect(() => {
    const onBack = () => setRoute(routeFromAddress())
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [])

  const show = useCallback((chatId: ChatId) => {
    history.pushState(null, '', addressOf(`/chats/${chatId}`))
    setRoute({ chatId, isNew: false })
  }, [])
  const startNew = useCallback(() => {
    history.pushState(null, '', addressOf('/'))
    setRoute(newRoute())
  }, [])
  const keepAddress = useCallback(() => {
    history.replaceState(null, '', addressOf(`/chats/${route.chatId}`))
    setRoute({ chatId: route.chatId, isNew: false })
  }, [route.chatId])
  return { ...route, show, startNew, keepAddress }
}

function routeFromAddress(): Route {
  const [, id] = /^\/chats\/([^/]+)$/.exec(location.pathname.slice(basePath.length)) ?? []
  return isChatId(id) ? { chatId: id, isNew: false } : newRoute()
}

function newRoute(): Route {
  return { chatId: createId(isChatId, 'chat'), isNew: true }
}
