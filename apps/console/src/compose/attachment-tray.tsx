import { maxFileBytes } from '@throughline/protocol/internal'
import { FileText, FileWarning, LoaderCircle, X } from 'lucide-react'
import { IconButton } from '../controls/icon-button.tsx'
import type { ComposeWords } from '../words/later/en.ts'
import { useLaterWords } from '../words/later/use-later-words.ts'
import type { Attachment } from './attachment.ts'
import { kindOf } from './file-kinds.ts'

interface Props {
  readonly files: readonly Attachment[]
  /** Whether they are there again after a reload. */
  readonly areKept: boolean
  readonly onRemove: (id: number) => void
}

/** The files that a person is about to send: pictures as small pictures, all others by name and size. */
export function AttachmentTray({ files, areKept, onRemove }: Props) {
  const words = useLaterWords().compose
  return (
    <>
      <ul aria-label={words.attachments} className="flex flex-wrap gap-2 px-1 pt-1 pb-2">
        {files.map(file => (
          <li
            key={file.id}
            className={`flex max-w-full items-center gap-2 rounded-xl border p-1.5 text-sm ${isRefused(file) ? 'border-danger bg-danger-soft' : 'border-line'}`}
          >
            <Preview file={file} />
            <span className="min-w-0">
              <span className="block max-w-52 truncate">{file.name}</span>
              <span
                role={isRefused(file) ? 'alert' : undefined}
                className={`block text-xs ${isRefused(file) ? 'text-danger' : 'text-muted'}`}
              >
                {stateOf(file, words)}
              </span>
            </span>
            <IconButton
              icon={X}
              label={words.removeFile(file.name)}
              onClick={() => onRemove(file.id)}
              className="size-7 rounded-lg text-muted hover:text-ink pointer-coarse:size-10"
              iconPx={15}
            />
          </li>
        ))}
      </ul>
      {!areKept && (
        <p role="status" className="px-1 pb-2 text-xs text-muted">
          {words.notKept}
        </p>
      )}
    </>
  )
}

function Preview({ file }: { readonly file: Attachment }) {
  const { part, problem } = file
  if (part?.mediaType.startsWith('image/') && part.url.startsWith('data:image/'))
    return <img src={part.url} alt="" className="size-10 shrink-0 rounded-lg object-cover" />
  const Icon = problem === 'reading' ? LoaderCircle : problem === undefined ? FileText : FileWarning
  return (
    <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-panel text-muted">
      <Icon size={18} className={problem === 'reading' ? 'motion-safe:animate-spin' : undefined} />
    </span>
  )
}

function stateOf({ problem, size, name }: Attachment, words: ComposeWords): string {
  switch (problem) {
    case undefined:
      return sizeText(size)
    case 'too-large':
      return words['too-large'](sizeText(kindOf({ name, type: '' })?.limit ?? maxFileBytes))
    case 'reading':
    case 'kind':
    case 'too-many':
    case 'empty':
    case 'unreadable':
      return words[problem]
  }
}

function isRefused({ problem }: Attachment): boolean {
  return problem !== undefined && problem !== 'reading'
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${Math.round((kilobytes / 1024) * 10) / 10} MB`
}
