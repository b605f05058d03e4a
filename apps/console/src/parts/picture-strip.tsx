import { isToolPart, type Part, picturesIn } from '@throughline/protocol'
import { memoizeByIdentity } from '@throughline/protocol/internal'
import { Screenshot } from './screenshot.tsx'

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
