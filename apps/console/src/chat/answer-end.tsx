import { formatCost, type Message, textOf } from '@throughline/protocol'
import { Check, CircleAlert, CircleStop, Copy, RefreshCw, RotateCw, ScanSearch } from 'lucide-react'
import { useChatActions } from '../chat-actions.tsx'
import { ServerSentence } from '../errors/server-sentence.tsx'
import { useWords } from '../settings/settings.tsx'
import { useCopy } from '../use-copy.ts'
import { ActionButton } from './action-button.tsx'
import { DeleteButton } from './delete-button.tsx'
import { EmptyNote, EndNote } from './end-note.tsx'
import type { MessageGroup } from './group-answers.ts'
import { Quiet, WhenReady } from './quiet.tsx'
import { Remedies } from './remedies.tsx'
import { VersionSwitch } from './version-switch.tsx'

interface Props {
  readonly group: MessageGroup
  /** Whether a person wrote the answer. Then it cannot be asked for again. */
  readonly isPerson: boolean
  /** Whether it is the last message of the chat. */
  readonly isLast: boolean
}

/** How an answer ended, what it used, and what can be done with it. */
export function AnswerEnd({ group: { message, versions }, isPerson, isLast }: Props) {
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
        <ActionButton
          icon={isCopied ? Check : Copy}
          label={isCopied ? words.copied : words.copy}
          onClick={() => copy(text)}
        />
      )}
      <ActionButton icon={ScanSearch} label={words.inspect} onClick={() => inspect(message.id)} />
      <WhenReady>
        {!isPerson && (
          <ActionButton icon={RefreshCw} label={words.regenerate} onClick={() => regenerate(message.id)} />
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
