import {
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react'

/** Tells whether a message can be sent now, and when that changes. */
interface Readiness {
  isReady(): boolean
  /** Calls the listener when `isReady` has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void
}

// The value of this context never changes. If it were a boolean, React would look through all messages of a long chat for
// components that use it, each time an answer begins or ends.
const ReadinessContext = createContext<Readiness>({ isReady: () => false, subscribe: () => () => undefined })

interface Props {
  readonly isReady: boolean
  readonly children: ReactNode
}

/** Tells what is inside of it whether a message can be sent now. */
export function ReadyProvider({ isReady, children }: Props) {
  const [readiness] = useState(createReadiness)
  useLayoutEffect(() => readiness.set(isReady), [readiness, isReady])
  return <ReadinessContext value={readiness}>{children}</ReadinessContext>
}

/**
 * Returns whether a message can be sent now; `false` outside of a `ReadyProvider`. With `isAsked` false, it returns `true`
 * and does not look.
 */
export function useIsReady(isAsked = true): boolean {
  const { subscribe, isReady } = useContext(ReadinessContext)
  return useSyncExternalStore(isAsked ? subscribe : never, isAsked ? isReady : always)
}

const never = () => () => undefined
const always = () => true

function createReadiness(): Readiness & { set(isReady: boolean): void } {
  const listeners = new Set<() => void>()
  let current = false
  return {
    isReady: () => current,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    set(isReady) {
      current = isReady
      for (const listener of listeners) listener()
    },
  }
}
