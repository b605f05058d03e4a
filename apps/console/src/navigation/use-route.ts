import { useCallback, useEffect, useRef, useState } from 'react'
import { addressOf, basePath } from '../server/base-path.ts'
import { placeQuery } from '../server/place-in-address.ts'
import { chatRoute, type PageRoute, pathOf, routeFrom } from './route.ts'

export interface Router {
  readonly route: PageRoute
  go(route: PageRoute): void
  /**
   * Has a page asked before the person leaves it. While `mayLeave` returns false, the page stays. Returns a function
   * that ends this.
   */
  askBeforeLeaving(mayLeave: () => boolean): () => void
  /** Puts a new chat into the address, so that a reload comes back to it. */
  keepAddress(): void
}

/** Returns what the address names, and the ways to go elsewhere. */
export function useRoute(): Router {
  const [route, setRoute] = useState<PageRoute>(routeFromAddress)
  const mayLeave = useRef(always)
  useEffect(() => {
    const onBack = () => {
      if (mayLeave.current()) setRoute(routeFromAddress())
      // The browser has changed the address already.
      else history.pushState(null, '', hrefOf(route))
    }
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [route])

  const go = useCallback((next: PageRoute) => {
    if (!mayLeave.current()) return
    history.pushState(null, '', hrefOf(next))
    setRoute(next)
  }, [])
  const askBeforeLeaving = useCallback((asked: () => boolean) => {
    mayLeave.current = asked
    return () => {
      if (mayLeave.current === asked) mayLeave.current = always
    }
  }, [])
  const keepAddress = useCallback(() => {
    if (route.page !== 'chat') return
    const kept = chatRoute(route.chatId)
    history.replaceState(null, '', hrefOf(kept))
    setRoute(kept)
  }, [route])
  return { route, go, keepAddress, askBeforeLeaving }
}

/** Returns the address of a route. The place where the person works stays in it. */
export function hrefOf(route: PageRoute): string {
  return addressOf(pathOf(route)) + placeQuery()
}

function always(): boolean {
  return true
}

function routeFromAddress(): PageRoute {
  return routeFrom(location.pathname.slice(basePath.length))
}
