import { FileText } from 'lucide-react'

/** A file that is not drawn as a picture. */
export function FileName({ label }: { readonly label: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-lg border border-line px-2 py-0.5 text-sm">
      <FileText size={14} className="shrink-0 text-muted" />
      <span className="truncate">{label}</span>
    </span>
  )
}
