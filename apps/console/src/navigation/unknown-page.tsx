import { useWords } from '../settings/settings.tsx'
import { UnknownNote } from '../unknown-note.tsx'
import { PageHeader } from './page-header.tsx'

/** For an address that names nothing. */
export function UnknownPage({ onMenu }: { readonly onMenu: () => void }) {
  const words = useWords()
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={words.unknownPage} onMenu={onMenu} />
      <UnknownNote text={words.unknownPageText} />
    </main>
  )
}
