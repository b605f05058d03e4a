import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'
import { useCopy } from '../use-copy.ts'

interface Props {
  readonly language: string
  /** Returns all of the code, to copy it. */
  readonly read: () => string
  readonly children: ReactNode
}

export function CodeBlock({ language, read, children }: Props) {
  const words = useWords()
  const { canCopy, isCopied, copy } = useCopy()
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-panel">
      <figcaption className="flex items-center justify-between border-b border-line px-3 py-1 text-xs text-muted">
        <span>{language || 'text'}</span>
        {canCopy && (
          <button
            type="button"
            onClick={() => copy(read())}
            className="flex items-center gap-1 rounded px-1.5 py-0.5 hover:text-ink"
          >
            {isCopied ? <Check size={13} /> : <Copy size={13} />}
            {isCopied ? words.copied : words.copy}
          </button>
        )}
      </figcaption>
      <pre className="overflow-x-auto p-3 text-[13px] leading-relaxed">
        <code>{children}</code>
      </pre>
    </figure>
  )
}
