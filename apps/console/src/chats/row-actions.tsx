import type { ListedChat } from '@throughline/protocol'
import { FileJson, FileText, Link, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import type { Words } from '../settings/words.ts'
import type { MenuAction } from './row-menu.tsx'

/** What can be done with a chat of the list. */
export interface RowActions {
  readonly onPin: (isPinned: boolean) => void
  readonly onRename: () => void
  /** `undefined` when the server does not offer it. */
  readonly onShare: (() => void) | undefined
  readonly onExport: (form: 'markdown' | 'json') => void
  readonly onRemove: () => void
}

/** Returns the items of a chat's menu. */
export function rowActions(
  { pinnedAt }: ListedChat,
  words: Words,
  { onPin, onRename, onShare, onExport, onRemove }: RowActions,
): readonly MenuAction[] {
  const isPinned = pinnedAt !== undefined
  return [
    {
      label: isPinned ? words.unpin : words.pin,
      icon: isPinned ? <PinOff size={15} /> : <Pin size={15} />,
      onChoose: () => onPin(!isPinned),
    },
    { label: words.rename, icon: <Pencil size={15} />, onChoose: onRename },
    ...(onShare === undefined ? [] : [{ label: words.share, icon: <Link size={15} />, onChoose: onShare }]),
    { label: words.exportMarkdown, icon: <FileText size={15} />, onChoose: () => onExport('markdown') },
    { label: words.exportJson, icon: <FileJson size={15} />, onChoose: () => onExport('json') },
    { label: words.remove, icon: <Trash2 size={15} />, isDangerous: true, onChoose: onRemove },
  ]
}
