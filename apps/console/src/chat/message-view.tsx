import { senderNameOf } from '@throughline/client/sender-name'
import { type Message, textOf } from '@throughline/protocol/message'
import { CircleAlert, CircleStop, RotateCw } from 'lucide-react'
import { memo } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'
import { stepsOf } from '../parts/steps.ts'
import { useWords } from '../settings/settings.tsx'
import type { MessageGroup } from './group-answers.ts'
import { isBetweenParts } from './is-between-parts.ts'
import { PartList } from './part-list.tsx'
import { Dots, Sender } from './sender.tsx'

interface Props {
  readonly group: MessageGroup
  readonly agents: readonly AgentItem[]
}

/** A message; drawn again only when it, and not another one, has changed. */
export const MessageView = memo(function MessageView({ group, agents }: Props) {
  return group.message.role === 'user' ? (
    <UserMessage message={group.message} />
  ) : (
    <Answer group={group} agents={agents} />
  )
})

function UserMessage({ message }: { readonly message: Message }) {
  return (
    <article data-role="user" data-message={message.id} className="flex justify-end">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 whitespace-pre-wrap break-words">
        {textOf(message)}
      </div>
    </article>
  )
}

function Answer({ group, agents }: Props) {
  const { message, descendants } = group
  const words = useWords()
  const [selected] = agents
  const name = senderNameOf(message, { agents, selectedAgent: selected?.name, fallback: words.agent })
  return (
    <article
      data-role="assistant"
      data-message={message.id}
      data-status={message.metadata?.status}
      className="flex gap-3"
    >
      <Sender name={name} />
      <div className="min-w-0 flex-1 space-y-3">
        <header className="flex items-baseline gap-2 text-sm font-semibold">
          <span data-sender>{name}</span> <Progress message={message} />
        </header>
        <PartList message={message} descendants={descendants} />
        {isBetweenParts(message) && <Dots label={words.thinking(name)} />}
        <AnswerEnd message={message} />
      </div>
    </article>
  )
}

/** How far the answer has come, while it is being made. */
function Progress({ message }: { readonly message: Message }) {
  const words = useWords()
  const steps = [...stepsOf(message).values()]
  if (message.metadata?.status !== 'streaming' || steps.length === 0) return null
  const done = steps.filter(({ status }) => status !== 'running').length
  return <span className="text-xs font-normal text-muted">{words.steps(done, steps.length)}</span>
}

function AnswerEnd({ message }: { readonly message: Message }) {
  const words = useWords()
  const { status, statusText, usage } = message.metadata ?? {}
  switch (status) {
    case 'failed':
      return (
        <p
          role="alert"
          className="flex items-start gap-2 rounded-xl bg-danger-soft px-3 py-2 text-sm text-danger"
        >
          <CircleAlert size={16} className="mt-0.5 shrink-0" />
          <span>
            <strong className="font-semibold">{words.failedAnswer}.</strong> {statusText}
          </span>
        </p>
      )
    case 'stopped':
      return <EndNote icon={<CircleStop size={14} />} label={words.stopped} text={undefined} />
    case 'interrupted':
      return <EndNote icon={<RotateCw size={14} />} label={words.interrupted} text={statusText} />
    case 'limit':
      return <EndNote icon={<CircleAlert size={14} />} label={words.limit} text={statusText} />
    case 'finished':
      if (usage === undefined) return null
      return (
        <footer className="text-xs text-muted">
          {words.tokens(usage.totalTokens)} ·{' '}
          {usage.cost === undefined ? words.costUnknown : words.cost(usage.cost)}
        </footer>
      )
    default:
      return null
  }
}

function EndNote({
  icon,
  label,
  text,
}: {
  readonly icon: React.ReactNode
  readonly label: string
  readonly text: string | undefined
}) {
  return (
    <p className="flex items-center gap-1.5 text-sm text-warning">
      {icon}
      <span>
        {label}
        {text === undefined ? '' : `: ${text}`}
      </span>
    </p>
  )
}
