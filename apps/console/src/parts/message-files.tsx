import { type FilePart, isFilePart, type Message, picturesIn } from '@throughline/protocol'
import { PictureButton } from '../pictures/picture-button.tsx'
import { FileName } from './file-name.tsx'
import { useOwnPicture } from './use-own-picture.ts'

/** Draws the files of a person's message: pictures, and the names of all other files. */
export function MessageFiles({ message }: { readonly message: Message }) {
  const files = message.parts.filter(isFilePart)
  if (files.length === 0) return null
  return (
    <ul data-files className="mb-1 flex max-w-[85%] flex-wrap justify-end gap-2">
      {files.map(part => (
        // Two parts of the same file have the same address, and look the same.
        <li key={`${part.url} ${part.filename}`} className="max-w-full">
          <MessageFile part={part} />
        </li>
      ))}
    </ul>
  )
}

function MessageFile({ part }: { readonly part: FilePart }) {
  // Only files of the server are loaded. A page must not load the addresses that somebody else wrote.
  const [address] = part.mediaType.startsWith('image/') ? picturesIn(part.url) : []
  const label = part.filename ?? part.mediaType
  return address === undefined ? <FileName label={label} /> : <Picture address={address} label={label} />
}

function Picture({ address, label }: { readonly address: string; readonly label: string }) {
  const picture = useOwnPicture(address)
  if (picture === undefined) return <FileName label={label} />
  return (
    <PictureButton
      address={picture}
      label={label}
      className="max-h-64 max-w-full rounded-xl border border-line"
    />
  )
}
