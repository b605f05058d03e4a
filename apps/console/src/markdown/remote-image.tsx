import { ImageIcon } from 'lucide-react'
import { useWords } from '../settings/settings.tsx'

/** An image elsewhere is a link: loading it would tell its server that, when and from where it was read. */
export function RemoteImage({
  address,
  description,
}: {
  readonly address: string
  readonly description: string
}) {
  const words = useWords()
  const label = description || words.image
  if (!/^https?:/i.test(address)) return <span className="text-muted">[{label}]</span>
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="inline-flex items-center gap-1.5 rounded-lg border border-line px-2 py-0.5 text-sm"
    >
      <ImageIcon size={14} />
      {label}
    </a>
  )
}
