import { useEffect, useEffectEvent } from 'react'
import { onAccess } from '../../settings/access.ts'
import type { Definition } from '../agents-api.ts'
import type { AgentDraft } from './agent-draft.ts'

/** What a person has written into a form, and the definition that they have changed with it. */
interface KeptForm {
  readonly draft: AgentDraft
  /** `undefined` for a new definition. */
  readonly saved?: Definition | undefined
}

/** Returns what was kept for the form at this address, while the person had to sign in again. */
export function keptForm(): KeptForm | undefined {
  const kept = sessionStorage.getItem(keyOfForm())
  return kept === null ? undefined : JSON.parse(kept)
}

/**
 * Keeps a form in this tab when the sign-in screen takes the place of the page, which would lose it. Not when the person
 * signs out: then nothing of them stays in the browser. `form` is `undefined` when nothing would be lost.
 */
export function useKeptForm(form: KeptForm | undefined): void {
  const latest = useEffectEvent(() => form)
  useEffect(() => {
    const key = keyOfForm()
    // The form shows it again, so it is not needed any more.
    sessionStorage.removeItem(key)
    return onAccess(event => {
      const kept = latest()
      if (event.type === 'refused' && event.reason !== 'left' && kept !== undefined)
        sessionStorage.setItem(key, JSON.stringify(kept))
    })
  }, [])
}

function keyOfForm(): string {
  return `throughline.form ${location.pathname}`
}
