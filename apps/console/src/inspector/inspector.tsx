import { createChatApi, errorFrom } from '@throughline/client'
import { type ChatId, type Entry, parsePosition } from '@throughline/protocol'
import { Download, FlaskConical, RotateCw, Unplug, X } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { saveFile } from '../browser/save-file.ts'
import { useFocusInside } from '../browser/use-focus-inside.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { Select } from '../controls/select.tsx'
import { ErrorText } from '../errors/error-text.tsx'
import { accessHeaders } from '../server/access.ts'
import { addressOf, basePath } from '../server/base-path.ts'
import type { CuttableFetch } from '../server/cuttable-fetch.ts'
import { serverFetch } from '../server/server-fetch.ts'
import { useInspectorWords } from '../words/inspector/use-inspector-words.ts'
import { authorsIn } from './entries/authors.ts'
import { inPieces, LogReader, type LogSource, type ReadLog } from './entries/log-reader.ts'
import { runsOf, scopeOf } from './entries/scope.ts'
import { LogView } from './log-view.tsx'
import { ReplayView } from './replay/replay-view.tsx'
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

interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly { readonly name: Name; readonly label: string }[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
  /** What the chosen tab shows. */
  readonly children: ReactNode
}

/** Tabs with what the chosen one shows below them. The arrow keys move between them. */
function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const row = useRef<HTMLDivElement>(null)
  const index = tabs.findIndex(({ name }) => name === chosen)
  const onKeyDown = (event: KeyboardEvent) => {
    const way = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = (index + way + tabs.length) % tabs.length
    const tab = tabs[next]
    if (way === 0 || tab === undefined) return
    event.preventDefault()
    onChoose(tab.name)
    row.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <>
      <div
        ref={row}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="flex gap-1 border-b border-line px-3"
      >
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`inspector-tab-${name}`}
            aria-selected={name === chosen}
            aria-controls="inspector-panel"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            className="-mb-px border-b-2 border-transparent px-2.5 py-1.5 text-sm text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {text}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="inspector-panel"
        aria-labelledby={`inspector-tab-${chosen}`}
        className="flex min-h-0 flex-1 flex-col"
      >
        {children}
      </div>
    </>
  )
}

/** Returns the log of a chat as far as it was read, and follows it. */
function useLog(chatId: ChatId): ReadLog {
  const reader = useMemo(() => new LogReader(sourceOf(chatId)), [chatId])
  useEffect(() => {
    const reading = new AbortController()
    void reader.read(reading.signal)
    return () => reading.abort()
  }, [reader])
  return useSyncExternalStore(reader.subscribe, reader.getSnapshot)
}

function sourceOf(chatId: ChatId): LogSource {
  const { logUrl, request } = createChatApi(chatId, {
    url: basePath,
    headers: accessHeaders,
    fetch: serverFetch,
  })
  return {
    logUrl,
    request: async (address, init) => inPieces(await request(address, init)),
    async end(signal) {
      const response = await request(addressOf(`/api/chats/${chatId}/messages?limit=1`), { signal })
      if (response.status === 404) return undefined
      if (!response.ok) throw await errorFrom(response)
      const { position } = await response.json()
      return parsePosition(String(position))
    },
  }
}

/** Cuts the connection of the chat, and reloads the page, to see that nothing is lost. The inspector stays connected. */
function ConnectionButtons({ connection }: { readonly connection: CuttableFetch }) {
  const words = useInspectorWords()
  const isCut = useSyncExternalStore(connection.subscribe, connection.isCut)
  // Without the inspector, nobody could mend it.
  useEffect(() => connection.mend, [connection])
  return (
    <>
      <IconButton
        icon={Unplug}
        label={isCut ? words.mend : words.cutConnection}
        {...(isCut && { className: 'size-7 rounded-lg bg-danger-soft text-danger pointer-coarse:size-10' })}
        onClick={isCut ? connection.mend : connection.cut}
      />
      <IconButton icon={RotateCw} label={words.reload} onClick={() => location.reload()} />
    </>
  )
}

interface ExportProps {
  readonly chatId: ChatId
  readonly entries: readonly Entry[]
  /** Whether the entries are one answer. Only one answer can be a fixture. */
  readonly isAnswer: boolean
}

/** Saves what is looked at: as lines of JSON, and an answer also as a fixture for tests. */
function ExportButtons({ chatId, entries, isAnswer }: ExportProps) {
  const words = useInspectorWords()
  const [first] = entries
  const name = isAnswer ? `${chatId}-${first?.seq ?? 0}` : chatId
  return (
    <>
      <IconButton
        icon={Download}
        label={words.saveLines}
        onClick={() => save(`${name}.jsonl`, jsonLines(entries))}
      />
      {isAnswer && (
        <IconButton
          icon={FlaskConical}
          label={words.saveFixture}
          onClick={() => save(`${name}.run.json`, runFixture(entries))}
        />
      )}
    </>
  )
}

function save(name: string, text: string): void {
  saveFile(name, new Blob([text], { type: 'application/octet-stream' }))
}

/** Returns entries as JSON, one on each line: what `throughline replay --json` prints, too. */
function jsonLines(entries: readonly Entry[]): string {
  return entries.map(entry => `${JSON.stringify(entry)}\n`).join('')
}

/**
 * Returns one run as a test fixture, which `playRecordedRun` of the testing package plays. The entries are numbered from 1,
 * and their times are milliseconds since the first one. So nothing in it depends on where the run was in its log.
 */
function runFixture(entries: readonly Entry[]): string {
  const startedAt = entries[0]?.at ?? 0
  const lines = entries.map((entry, index) =>
    JSON.stringify({ ...entry, seq: index + 1, at: Math.max(0, entry.at - startedAt) }),
  )
  return `{"throughlineRun":1,"entries":[\n${lines.join(',\n')}\n]}\n`
}
