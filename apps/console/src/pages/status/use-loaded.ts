import type { BodyCheck } from '@throughline/protocol/internal'
import { useEffect, useState } from 'react'
import { callServer } from '../../server/call-server.ts'

/** What was read last; `undefined` before the first time. */
export interface Loaded<Value> {
  readonly value: Value | undefined
  /** Whether the last attempt failed. What was read before that is still there. */
  readonly hasFailed: boolean
}

/** How often it is read again, in milliseconds. */
const pauseMs = 10_000

/** Reads an address of the server again and again, while a person sees the page. */
export function useLoaded<Value>(check: BodyCheck<Value>, path: string): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value> & { readonly path: string }>()
  useEffect(() => {
    let isGone = false
    const load = async () => {
      if (document.visibilityState !== 'visible') return
      try {
        const value = await callServer(check, 'GET', path)
        if (!isGone) setLoaded({ path, value, hasFailed: false })
      } catch {
        if (!isGone)
          setLoaded(known => ({
            path,
            value: known?.path === path ? known.value : undefined,
            hasFailed: true,
          }))
      }
    }
    void load()
    const timer = setInterval(load, pauseMs)
    document.addEventListener('visibilitychange', load)
    return () => {
      isGone = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', load)
    }
  }, [check, path])
  return { value: loaded?.path === path ? loaded.value : undefined, hasFailed: loaded?.hasFailed ?? false }
}
