import { asChatError } from '@throughline/client'
import type { Entry } from '@throughline/protocol'
import { useEffect, useRef, useState } from 'react'
import { FoldSnapshots } from './fold-snapshots.ts'

const sliceMs = 8

interface Snapshots {
  readonly snapshots: FoldSnapshots
  /** How many entries can be shown. Grows until all are folded. */
  readonly count: number
  /** Why the log cannot be folded further. */
  readonly problem: string | undefined
}

/** Folds a log in slices, so that the page stays usable meanwhile. */
export function useSnapshots(entries: readonly Entry[]): Snapshots {
  const kept = useRef(new FoldSnapshots())
  const [count, setCount] = useState(0)
  const [problem, setProblem] = useState<string>()
  // The log was read again from its beginning.
  if (kept.current.count > entries.length) kept.current = new FoldSnapshots()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const foldOn = () => {
      const end = performance.now() + sliceMs
      try {
        const isDone = kept.current.foldOn(entries, () => performance.now() < end)
        if (!isDone) timer = setTimeout(foldOn)
      } catch (error) {
        setProblem(asChatError(error).message)
      }
      setCount(kept.current.count)
    }
    foldOn()
    return () => clearTimeout(timer)
  }, [entries])
  return { snapshots: kept.current, count, problem }
}
