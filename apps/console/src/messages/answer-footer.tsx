import { formatCost, type Message, textOf } from '@throughline/protocol'
import {
  Check,
  CircleAlert,
  CircleStop,
  Copy,
  FastForward,
  type LucideIcon,
  RefreshCw,
  RotateCw,
  ScanSearch,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useCopy } from '../browser/use-copy.ts'
import { ServerSentence } from '../errors/server-sentence.tsx'
import { useChatActions } from '../parts/chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'
import { canGoOn } from './go-on.ts'
import type { MessageGroup } from './group-answers.ts'
import { DeleteButton, MessageButton, Quiet, VersionSwitch, WhenReady } from './message-buttons.tsx'

interface Props {
  readonly group: MessageGroup
  /** Whether a person wrote the answer. Then it cannot be asked for again. */
  readonly isPerson: boolean
  /** Whether it is the last message of the chat. */
  readonly isLast: boolean
}

/** How an answer ended, what it used, and what can be done with it. */
export function AnswerFooter({ group: { message, versions }, isPerson, isLast }: Props) {
  const hasEnded = message.metadata?.status !== 'streaming'
  return (
    <>
      <Outcome message={message} />
      {isLast && !isPerson && <Remedies message={message} />}
      <footer className="-mt-1.5 flex min-h-7 flex-wrap items-center gap-x-3.5 text-xs text-muted pointer-coarse:min-h-10">
        {hasEnded && <Used message={message} />}
        <div className="-ml-1.5 flex items-center">
          <VersionSwitch messageId={message.id} versions={versions} />
          {hasEnded && (
            <Quiet>
              <AnswerActions message={message} isPerson={isPerson} />
            </Quiet>
          )}
        </div>
      </footer>
    </>
  )
}

function AnswerActions({ message, isPerson }: Pick<Props, 'isPerson'> & { readonly message: Message }) {
  const words = useWords()
  const { inspect, regenerate } = useChatActions()
  const { canCopy, isCopied, copy } = useCopy()
  const text = textOf(message)
  return (
    <>
      {canCopy && text !== '' && (
        <MessageButton
          icon={isCopied ? Check : Copy}
          label={isCopied ? words.copied : words.copy}
          onClick={() => copy(text)}
        />
      )}
      <MessageButton icon={ScanSearch} label={words.inspect} onClick={() => inspect(message.id)} />
      <WhenReady>
        {!isPerson && (
          <MessageButton icon={RefreshCw} label={words.regenerate} onClick={() => regenerate(message.id)} />
        )}
        <DeleteButton message={message} />
      </WhenReady>
    </>
  )
}

function Used({ message }: { readonly message: Message }) {
  const words = useWords()
  const { usage } = message.metadata ?? {}
  if (usage === undefined) return null
  // When the cost is not known, nothing is shown: a note below every answer would only be noise.
  const cost = formatCost(usage.cost)
  return (
    <span>
      {words.tokens(usage.totalTokens)}
      {cost === undefined ? '' : ` · ${cost}`}
    </span>
  )
}

/** Says why an answer is not complete. Draws nothing for an answer that has finished. */
function Outcome({ message }: { readonly message: Message }) {
  const words = useWords()
  const { status, statusText, isEmpty } = message.metadata ?? {}
  switch (status) {
    case 'finished':
      return isEmpty === true ? <EmptyNote message={message} /> : null
    case 'failed':
      return (
        <p
          role="alert"
          className="flex items-start gap-2 rounded-xl bg-danger-soft px-3 py-2 text-sm text-danger"
        >
          <CircleAlert size={16} className="mt-0.5 shrink-0" />
          <span>
            <strong className="font-semibold">{words.failedAnswer}</strong>{' '}
            <ServerSentence text={statusText ?? ''} />
          </span>
        </p>
      )
    case 'stopped':
      return <EndNote icon={<CircleStop size={14} />} label={words.stopped} text={undefined} />
    case 'interrupted':
      return <EndNote icon={<RotateCw size={14} />} label={words.interrupted} text={statusText} />
    case 'limit':
      return <EndNote icon={<CircleAlert size={14} />} label={words.limit} text={statusText} />
    default:
      return null
  }
}

/** What a person can do about an answer that did not come to a good end: ask again, or ask the agent to go on. */
function Remedies({ message }: { readonly message: Message }) {
  const words = useWords()
  const { goOn, regenerate } = useChatActions()
  const { status, isEmpty } = message.metadata ?? {}
  if (status === undefined || status === 'streaming' || (status === 'finished' && isEmpty !== true))
    return null
  return (
    <WhenReady>
      <span className="flex flex-wrap gap-2">
        <Remedy icon={RefreshCw} label={words.retry} onClick={() => regenerate(message.id)} />
        {canGoOn(message) && <Remedy icon={FastForward} label={words.goOn} onClick={() => goOn(message)} />}
      </span>
    </WhenReady>
  )
}

interface RemedyProps {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
}

function Remedy({ icon: Icon, label, onClick }: RemedyProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex items-center gap-1.5 rounded-full border border-line bg-raised px-3 py-1 text-sm hover:border-accent pointer-coarse:min-h-10"
    >
      <Icon size={14} className="shrink-0 text-muted" /> {label}
    </button>
  )
}

/** Says that an answer has no text, and which tool failed last. */
export function EmptyNote({ message }: { readonly message: Message }) {
  const words = useWords()
  const { lastToolError } = message.metadata ?? {}
  const text = lastToolError && words.lastToolError(lastToolError.toolName, lastToolError.errorText)
  return <EndNote icon={<CircleAlert size={14} />} label={words.emptyAnswer} text={text} />
}

interface EndNoteProps {
  readonly icon: ReactNode
  readonly label: string
  readonly text: string | undefined
}

/** A line about how an answer ended. */
function EndNote({ icon, label, text }: EndNoteProps) {
  const words = useWords()
  return (
    <p className="flex items-center gap-1.5 text-sm text-warning">
      {icon}
      <span>
        {label}
        {text !== undefined && (
          <>
            {words.colon}
            <ServerSentence text={text} />
          </>
        )}
      </span>
    </p>
  )
}
