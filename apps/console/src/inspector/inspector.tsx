import type { ChatId } from '@throughline/protocol'
import { X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { authorsIn } from './authors.ts'
import { useInspectorWords } from './inspector-words.ts'
import type { ReadLog } from './log/log-reader.ts'
import { LogView } from './log/log-view.tsx'
import { useLog } from './log/use-log.ts'
import { runsOf, scopeOf } from './scope.ts'
import { Select } from './select.tsx'
import { Tabs } from './tabs.tsx'

interface Props {
  readonly chatId: ChatId
  /** The answer to look at first; `undefined` for the whole chat. */
  readonly messageId: string | undefined
  readonly onClose: () => void
}

type Tab = 'log'

/** What happened in a chat, from its log: beside the chat on a wide screen, instead of it on a phone. */
export function Inspector({ chatId, messageId, onClose }: Props) {
  const words = useInspectorWords()
  const log = useLog(chatId)
  const authors = useMemo(() => authorsIn(log.entries), [log])
  const runs = useMemo(() => runsOf(authors), [authors])
  // The choice of the person; before that, the answer for which the inspector was opened.
  const [choice, setChoice] = useState<string>()
  const chosenId = choice ?? messageId ?? ''
  const runId = authors.get(chosenId)?.runId
  const scope = useMemo(() => scopeOf(log, runId), [log, runId])
  const [tab, setTab] = useState<Tab>('log')
  const [seq, setSeq] = useState(0)
  const panel = useFocusInside(messageId)
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={words.inspector}
      className="fixed inset-0 z-30 flex flex-col border-line bg-page outline-none lg:static lg:w-[46%] lg:max-w-3xl lg:shrink-0 lg:border-l"
    >
      <header className="flex items-center gap-2 px-4 py-2">
        <h2 className="shrink-0 font-medium max-sm:sr-only">{words.inspector}</h2>
        <Select label={words.scope} value={runId === undefined ? '' : chosenId} onChange={setChoice}>
          <option value="">{words.wholeChat}</option>
          {runs.map(run => (
            <option key={run.messageId} value={run.messageId}>
              {words.answerOf(run.name, run.question)}
            </option>
          ))}
        </Select>
        <button
          type="button"
          aria-label={words.close}
          title={words.close}
          onClick={onClose}
          className="-mr-1 shrink-0 rounded-lg p-1.5 text-muted hover:bg-panel hover:text-ink"
        >
          <X size={18} />
        </button>
      </header>
      <Tabs label={words.inspector} tabs={[{ name: 'log', label: words.log }]} chosen={tab} onChoose={setTab}>
        <Status log={log} />
        {log.entries.length > 0 && <LogView scope={scope} authors={authors} seq={seq} onSeq={setSeq} />}
      </Tabs>
    </aside>
  )
}

/** Says why there is nothing to see, or not everything. */
function Status({ log: { status, problem } }: { readonly log: ReadLog }) {
  const words = useInspectorWords()
  if (status === 'live') return null
  return (
    <p role="status" className="px-4 py-2 text-sm text-warning">
      {status === 'failed' ? problem : words[status]}
    </p>
  )
}

/** Moves the focus into the panel when it opens, or opens for another answer; back to where it was when it closes. */
function useFocusInside(messageId: string | undefined) {
  const panel = useRef<HTMLElement>(null)
  const before = useRef<Element>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: for another answer the focus moves again.
  useEffect(() => {
    before.current ??= document.activeElement
    panel.current?.focus()
  }, [messageId])
  useEffect(
    () => () => {
      if (before.current instanceof HTMLElement) before.current.focus()
    },
    [],
  )
  return panel
}
