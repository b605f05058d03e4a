import { useCallback, useEffect, useState } from 'react'
import { addressOf, basePath } from '../base-path.ts'
import { chatRoute, pathOf, type Route, routeFrom } from './route.ts'

export interface Router {
  readonly route: Route
  go(route: Route): void
  /** Puts a new chat into the address, so that a reload comes back to it. */
  keepAddress(): void
}

/** Returns what the address names, and the ways to go elsewhere. */
export function useRoute(): Router {
  const [route, setRoute] = useState<Route>(routeFromAddress)
  useEffect(() => {
    const onBack = () => setRoute(routeFromAddress())
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [])

  const go = useCallback((next: Route) => {
    history.pushState(null, '', addressOf(pathOf(next)))
    setRoute(next)
  }, [])
  const keepAddress = useCallback(() => {
    if (route.page !== 'chat') return
    const kept = chatRoute(route.chatId)
    history.replaceState(null, '', addressOf(pathOf(kept)))
    setRoute(kept)
  }, [route])
  return { route, go, keepAddress }
}

function routeFromAddress(): Route {
  return routeFrom(location.pathname.slice(basePath.length))
}
