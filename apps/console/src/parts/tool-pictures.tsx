import { isToolPart, type Part, picturesIn } from '@throughline/protocol'
import { memoizeByIdentity } from '@throughline/protocol/internal'
import { PictureButton } from '../pictures/picture-button.tsx'
import { useOwnPicture } from '../pictures/use-own-picture.ts'
import { useWords } from '../settings/settings.tsx'

const mostShown = 4

/** The last pictures of tool calls that are folded away, side by side. Draws nothing when there are none. */
export function PictureStrip({ parts }: { readonly parts: readonly Part[] }) {
  const addresses = [...new Set(parts.flatMap(picturesOf))]
  if (addresses.length === 0) return null
  const hidden = addresses.length - mostShown
  return (
    // The height is reserved before the pictures are loaded.
    <div data-pictures className="flex min-h-36 items-center gap-2 overflow-x-auto py-2 in-data-[stage]:px-3">
      {hidden > 0 && <span className="shrink-0 text-xs text-muted">+{hidden}</span>}
      {addresses.slice(-mostShown).map(address => (
        <Screenshot key={address} address={address} isSmall />
      ))}
    </div>
  )
}

const picturesOf = memoizeByIdentity((part: Part): readonly string[] =>
  isToolPart(part) ? picturesIn(part.output) : [],
)

interface Props {
  readonly address: string
  /** Draws it as one of several in a row. */
  readonly isSmall?: boolean
}

/** Draws a picture that a tool returned. */
export function Screenshot({ address, isSmall = false }: Props) {
  const words = useWords()
  const picture = useOwnPicture(address)
  if (picture === undefined) return null
  if (isSmall)
    return (
      <PictureButton
        address={picture}
        label={words.screenshot}
        className="h-32 rounded-lg border border-line"
      />
    )
  return (
    <div className="border-t border-line">
      <PictureButton
        address={picture}
        label={words.screenshot}
        isWide
        className="max-h-96 w-full object-contain object-top"
      />
    </div>
  )
}
