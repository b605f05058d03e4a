import { type ReactNode, useEffect, useRef } from 'react'
import { DialogClose } from '../controls/dialog-close.tsx'
import type { ShortcutWords } from '../words/later/en.ts'
import { useLaterWords } from '../words/later/use-later-words.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
const alt = isMac ? '⌥' : 'Alt'
const ctrl = isMac ? '⌘' : 'Ctrl'

type Row = readonly [keys: readonly string[], word: keyof ShortcutWords]

const everywhere: readonly Row[] = [
  [[alt, 'N'], 'new'],
  [[ctrl, 'K'], 'search'],
  [[alt, '↑'], 'previous'],
  [[alt, '↓'], 'next'],
  [[alt, 'I'], 'inspect'],
  [[alt, 'S'], 'stop'],
  [[alt, 'M'], 'write'],
  [['?'], 'help'],
]
const writing: readonly Row[] = [
  [['Enter'], 'send'],
  [['Shift', 'Enter'], 'line'],
  [[ctrl, 'Enter'], 'interrupt'],
  [['↑'], 'edit'],
]
const commands: readonly Row[] = [
  [['/new'], 'commandNew'],
  [['/agent'], 'commandAgent'],
  [['/stop'], 'commandStop'],
  [['/export'], 'commandExport'],
  [['/inspect'], 'commandInspect'],
  [['/help'], 'commandHelp'],
]

/** A dialog that lists all keyboard shortcuts. The browser closes it with Escape, and gives the focus back. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const words = useLaterWords().shortcuts
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label={words.shortcuts}
      // A press beside the dialog is a press on its backdrop, which belongs to it.
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
      onKeyDown={event => event.stopPropagation()}
      className="m-auto w-full max-w-lg rounded-2xl border border-line bg-raised text-ink shadow-xl backdrop:bg-black/40"
    >
      <div className="p-5">
        <header className="mb-3 flex items-center">
          <h2 className="flex-1 text-lg font-semibold">{words.shortcuts}</h2>
          <DialogClose label={words.close} />
        </header>
        <Group title={words.everywhere} rows={everywhere} />
        <Group title={words.writing} rows={writing} />
        <Group title={words.commands} rows={commands} />
      </div>
    </dialog>
  )
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  const words = useLaterWords().shortcuts
  return (
    <section className="mb-4 last:mb-0">
      <h3 className="mb-1 text-sm text-muted">{title}</h3>
      <dl className="text-sm">
        {rows.map(([keys, word]) => (
          <div key={word} className="flex items-center gap-4 border-b border-line py-1.5 last:border-0">
            <dt className="flex-1">{words[word]}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map(key => (
                <Key key={key}>{key}</Key>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="min-w-7 rounded-md border border-line bg-panel px-1.5 py-0.5 text-center font-sans text-xs">
      {children}
    </kbd>
  )
}
