import { SquarePen } from 'lucide-react'
import { addressOf } from '../base-path.ts'
import { useWords } from '../settings/settings.tsx'

/** The name of the page, and the button for a new chat. */
export function PanelHeader({ onNew }: { readonly onNew: () => void }) {
  const words = useWords()
  return (
    <>
      <header className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <img src={addressOf('/icon.svg')} alt="" className="size-7" />
        <span className="text-lg font-semibold tracking-tight">Throughline</span>
      </header>
      <button
        type="button"
        onClick={onNew}
        data-shortcut="new"
        className="mx-3 mb-2 flex items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2 font-medium hover:border-accent"
      >
        <SquarePen size={16} /> {words.newChat}
      </button>
    </>
  )
}
