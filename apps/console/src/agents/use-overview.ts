import { asChatError } from '@throughline/client'
import { useCallback, useEffect, useState } from 'react'
import {
  type AgentsOverview,
  type Definition,
  type DefinitionKey,
  loadDefinition,
  loadOverview,
} from './agents-api.ts'

export interface LoadedOverview {
  /** `undefined` until it is loaded. While it is loaded again, the old one stays. */
  readonly overview: AgentsOverview | undefined
  readonly hasFailed: boolean
  /** Loads everything again, after a change. */
  reload(): Promise<void>
}

/** Loads what the page of agents shows. `onChange` is called whenever it is loaded again. */
export function useOverview(onChange: () => void): LoadedOverview {
  const [overview, setOverview] = useState<AgentsOverview>()
  const [hasFailed, setHasFailed] = useState(false)
  const load = useCallback(async () => {
    setHasFailed(false)
    try {
      setOverview(await loadOverview())
    } catch {
      setHasFailed(true)
    }
  }, [])
  useEffect(() => void load(), [load])
  const reload = useCallback(async () => {
    onChange()
    await load()
  }, [load, onChange])
  return { overview, hasFailed, reload }
}

interface LoadedDefinition {
  readonly definition: Definition | undefined
  /** Why there is none. */
  readonly problem: 'unknown' | 'failed' | undefined
  reload(): void
}

/** Loads one definition. */
export function useDefinition({ name, workspaceId }: DefinitionKey): LoadedDefinition {
  const [definition, setDefinition] = useState<Definition>()
  const [problem, setProblem] = useState<LoadedDefinition['problem']>()
  const reload = useCallback(() => {
    setProblem(undefined)
    loadDefinition({ name, workspaceId }).then(setDefinition, error =>
      setProblem(asChatError(error).status === 404 ? 'unknown' : 'failed'),
    )
  }, [name, workspaceId])
  useEffect(reload, [reload])
  return { definition, problem, reload }
}
