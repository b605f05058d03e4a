import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../settings/settings.tsx'

export function CodeBlock({ code, language }: { readonly code: string; readonly language: string }) {
  const words = useWords()
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(code)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1500)
  }
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-panel">
      <figcaption className="flex items-center justify-between border-b border-line px-3 py-1 text-xs text-muted">
        <span>{language || 'text'}</span>
        <button
          type="button"
          onClick={copy}
          className="flex items-center gap-1 rounded px-1.5 py-0.5 hover:text-ink"
        >
          {isCopied ? <Check size={13} /> : <Copy size={13} />}
          {isCopied ? words.copied : words.copy}
        </button>
      </figcaption>
      <pre className="overflow-x-auto p-3 text-[13px] leading-relaxed">
        <code>{code.replace(/\n$/, '')}</code>
      </pre>
    </figure>
  )
}
