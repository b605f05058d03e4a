import type { ListedChat } from '@throughline/protocol'
import { type ReactNode, useId } from 'react'
import { useWords } from '../settings/settings.tsx'
import { groupChats } from './group-chats.ts'

interface Props {
  readonly chats: readonly ListedChat[]
  readonly isLoaded: boolean
  readonly row: (chat: ListedChat) => ReactNode
}

/** The chats in their groups: pinned ones, then by day. */
export function ChatGroups({ chats, isLoaded, row }: Props) {
  const words = useWords()
  if (isLoaded && chats.length === 0) return <p className="px-3 py-2 text-sm text-muted">{words.noChats}</p>
  return groupChats(chats, new Date()).map(({ name, chats: grouped }) => (
    <Group key={name} title={words[name]}>
      {grouped.map(chat => row(chat))}
    </Group>
  ))
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="px-3 pt-3 pb-1 text-xs font-medium text-muted">
        {title}
      </h2>
      <ul>{children}</ul>
    </section>
  )
}
