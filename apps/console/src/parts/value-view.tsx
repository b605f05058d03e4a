/** A value as JSON, or as it is when it is text. */
export function ValueView({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <div>
      <div className="mb-1 text-xs font-medium text-muted">{label}</div>
      <pre className="max-h-80 overflow-auto rounded-lg bg-panel p-2.5 text-xs leading-relaxed whitespace-pre-wrap break-words">
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </div>
  )
}
