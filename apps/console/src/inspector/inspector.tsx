import type { ChatId } from '@throughline/protocol'
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { CuttableFetch } from '../cuttable-fetch.ts'
import { ErrorText } from '../errors/error-text.tsx'
import { IconButton } from '../icon-button.tsx'
import { useFocusInside } from '../use-focus-inside.ts'
import { authorsIn } from './authors.ts'
import { ConnectionButtons } from './connection-buttons.tsx'
import { ExportButtons } from './export/export-buttons.tsx'
import { useInspectorWords } from './inspector-words.ts'
import type { ReadLog } from './log/log-reader.ts'
import { LogView } from './log/log-view.tsx'
import { useLog } from './log/use-log.ts'
import { ReplayView } from './replay/replay-view.tsx'
import { runsOf, scopeOf } from './scope.ts'
import { Select } from './select.tsx'
import { Tabs } from './tabs.tsx'
import { TimelineView } from './timeline/timeline-view.tsx'

interface Props {
  readonly chatId: ChatId
  /** The answer to look at first; `undefined` for the whole chat. */
  readonly messageId: string | undefined
  /** The connection of the chat. */
  readonly connection: CuttableFetch
  readonly onClose: () => void
}

type Tab = 'log' | 'timeline' | 'replay'

/** What happened in a chat, from its log: beside the chat on a wide screen, instead of it on a phone. */
export function Inspector({ chatId, messageId, connection, onClose }: Props) {
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
  const panel = useFocusInside<HTMLElement>(messageId)
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={words.inspector}
      className="fixed inset-0 z-30 flex flex-col safe-area border-line bg-page outline-none lg:static lg:p-0 lg:w-[46%] lg:max-w-3xl lg:shrink-0 lg:border-l"
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
        <ExportButtons chatId={chatId} entries={scope.entries} isAnswer={runId !== undefined} />
        <ConnectionButtons connection={connection} />
        <IconButton icon={X} label={words.close} onClick={onClose} />
      </header>
      <Tabs
        label={words.inspector}
        tabs={[
          { name: 'log', label: words.log },
          { name: 'timeline', label: words.timeline },
          { name: 'replay', label: words.replay },
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        <Status log={log} />
        {log.entries.length > 0 && tab === 'log' && (
          <LogView scope={scope} authors={authors} seq={seq} onSeq={setSeq} />
        )}
        {log.entries.length > 0 && tab === 'timeline' && (
          <TimelineView
            entries={scope.entries}
            onSeq={found => {
              setSeq(found)
              setTab('log')
            }}
          />
        )}
        {log.entries.length > 0 && tab === 'replay' && (
          <ReplayView chatId={chatId} log={log.entries} scope={scope.entries} seq={seq} onSeq={setSeq} />
        )}
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
      {status !== 'failed' ? words[status] : problem !== undefined && <ErrorText error={problem} />}
    </p>
  )
}
