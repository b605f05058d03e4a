import { RotateCw, Unplug } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import type { CuttableFetch } from '../cuttable-fetch.ts'
import { IconButton } from '../icon-button.tsx'
import { useInspectorWords } from './inspector-words.ts'

/** Cuts the connection of the chat, and reloads the page, to see that nothing is lost. The inspector stays connected. */
export function ConnectionButtons({ connection }: { readonly connection: CuttableFetch }) {
  const words = useInspectorWords()
  const isCut = useSyncExternalStore(connection.subscribe, connection.isCut)
  // Without the inspector, nobody could mend it.
  useEffect(() => connection.mend, [connection])
  return (
    <>
      <IconButton
        icon={Unplug}
        label={isCut ? words.mend : words.cutConnection}
        {...(isCut && { className: 'size-7 rounded-lg bg-danger-soft text-danger pointer-coarse:size-10' })}
        onClick={isCut ? connection.mend : connection.cut}
      />
      <IconButton icon={RotateCw} label={words.reload} onClick={() => location.reload()} />
    </>
  )
}
