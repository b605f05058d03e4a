import { addressOf } from '../base-path.ts'
import { useWords } from '../settings/settings.tsx'
import { PageHeader } from './page-header.tsx'

/** For an address that names nothing. */
export function UnknownPage({ onMenu }: { readonly onMenu: () => void }) {
  const words = useWords()
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={words.unknownPage} onMenu={onMenu} />
      <p className="m-auto max-w-md p-6 text-center text-muted">
        {words.unknownPageText}{' '}
        <a href={addressOf('/')} className="text-accent underline">
          {words.newChat}
        </a>
      </p>
    </main>
  )
}
