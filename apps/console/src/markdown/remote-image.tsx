import { ImageIcon } from 'lucide-react'
import { hostOf } from '../host-of.ts'
import { useWords } from '../settings/settings.tsx'

/**
 * Draws an image of another site as a link that names the site. Loading the image would tell that site who reads the
 * answer, and when.
 */
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
      <span className="text-muted">{hostOf(address)}</span>
    </a>
  )
}
