import type { AgentChat } from '@throughline/client/react'
import { useEffect, useState } from 'react'

/** An answer that takes longer than this is one behind which somebody may queue messages, also in another tab. */
const longAnswerMs = 2_000

/** Returns whether messages may wait in a chat. Once they may, it stays so: between two answers a chat is ready for a moment. */
export function useMayWait({ status, queued }: Pick<AgentChat, 'status' | 'queued'>): boolean {
  const [mayWait, setMayWait] = useState(false)
  const isBusy = status === 'submitted' || status === 'streaming'
  useEffect(() => {
    if (!isBusy) return
    const timer = setTimeout(() => setMayWait(true), longAnswerMs)
    return () => clearTimeout(timer)
  }, [isBusy])
  if (queued.length > 0 && !mayWait) setMayWait(true)
  return mayWait
}
