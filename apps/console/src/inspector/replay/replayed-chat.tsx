import type { Message } from '@throughline/protocol'
import { memo, useRef } from 'react'
import { groupAnswers, keyOf, type MessageGroup } from '../../chat/group-answers.ts'
import { MessageView } from '../../chat/message-view.tsx'
import { lastWithin } from '../../chat/use-latest-first.ts'
import { useStickToEnd } from '../../chat/use-stick-to-end.ts'
import { useInspectorWords } from '../inspector-words.ts'

/** A person saw the last messages at a position. So many characters fill the screen, and are drawn at once. */
const mostChars = 6 * 1024
/** An answer is shown with its question, however long it is. */
const fewest = 2

interface Props {
  /** The messages of the branch that was the newest at the position. */
  readonly messages: readonly Message[]
  /** The position. */
  readonly seq: number
}

const noAgents: readonly never[] = []
const noVersions: ReadonlyMap<string, readonly string[]> = new Map()

/** The messages of a chat as they were, drawn as the chat draws them. Nothing can be sent, changed or decided here. */
export const ReplayedChat = memo(function ReplayedChat({ messages, seq }: Props) {
  const words = useInspectorWords()
  const { scroller, content } = useStickToEnd()
  const groups = useRef<readonly MessageGroup[]>([])
  groups.current = groupAnswers({ messages, versions: noVersions }, groups.current)
  const found = lastWithin(groups.current, mostChars)
  const shown = found.length < fewest ? groups.current.slice(-fewest) : found
  const hidden = groups.current.length - shown.length
  return (
    <section
      ref={scroller}
      data-replay={seq}
      aria-label={words.replay}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls with the keyboard needs the focus here
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-4 -outline-offset-2"
    >
      <div
        ref={content}
        data-busy=""
        className="mx-auto flex max-w-3xl flex-col gap-3 [&_.quiet]:hidden [&_[role=alertdialog]_button]:hidden"
      >
        {groups.current.length === 0 && <p className="text-sm text-muted">{words.nothingYet}</p>}
        {hidden > 0 && <p className="text-center text-xs text-muted">{words.earlier(hidden)}</p>}
        {shown.map(group => (
          <MessageView
            key={keyOf(group)}
            group={group}
            agents={noAgents}
            selectedAgent={undefined}
            failure={undefined}
          />
        ))}
      </div>
    </section>
  )
})
