import { type ChatError, isAgentMessage, senderNameOf } from '@throughline/client'
import { type Message, textOf } from '@throughline/protocol'
import { memo } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'
import { offScreenSize } from '../off-screen-size.ts'
import { stepsOf } from '../parts/steps.ts'
import { WithSources } from '../parts/with-sources.tsx'
import { useWords } from '../settings/settings.tsx'
import { AnswerEnd } from './answer-end.tsx'
import type { MessageGroup } from './group-answers.ts'
import { isBetweenParts } from './is-between-parts.ts'
import { PartList } from './part-list.tsx'
import { Dots, Sender } from './sender.tsx'
import { UserMessage } from './user-message.tsx'

interface AnswerProps {
  readonly group: MessageGroup
  readonly agents: readonly AgentItem[]
  /** The agent of the chat. It is named until the message itself names one. */
  readonly selectedAgent: string | undefined
}

interface Props extends AnswerProps {
  /** Why the message could not be sent. */
  readonly failure: ChatError | undefined
}

/** Draws a message. It is drawn again only when this message has changed. */
export const MessageView = memo(function MessageView({ group, agents, selectedAgent, failure }: Props) {
  return group.message.role === 'user' ? (
    <UserMessage group={group} failure={failure} />
  ) : (
    <Answer group={group} agents={agents} selectedAgent={selectedAgent} />
  )
})

function Answer({ group, agents, selectedAgent }: AnswerProps) {
  const { message, subAgents } = group
  const words = useWords()
  const name = senderNameOf(message, { agents, selectedAgent, fallback: words.agent })
  const isPerson = !isAgentMessage(message, name)
  return (
    <article
      data-role="assistant"
      data-message={message.id}
      data-status={message.metadata?.status}
      data-person={isPerson ? '' : undefined}
      style={offScreenSize(textOf(message).length)}
      className="message off-screen flex gap-3"
    >
      <Sender name={name} isPerson={isPerson} />
      <div className="min-w-0 flex-1 space-y-3">
        <header className="flex items-baseline gap-2 text-sm font-semibold">
          <span data-sender>{name}</span> <Progress message={message} />
        </header>
        <WithSources message={message}>
          <PartList message={message} subAgents={subAgents} />
        </WithSources>
        {isBetweenParts(message) && <Dots label={words.thinking(name)} />}
        <AnswerEnd group={group} isPerson={isPerson} />
      </div>
    </article>
  )
}

/** Shows how many tool calls are done, while the answer is being written. */
function Progress({ message }: { readonly message: Message }) {
  const words = useWords()
  const steps = [...stepsOf(message).values()]
  if (message.metadata?.status !== 'streaming' || steps.length === 0) return null
  const done = steps.filter(({ status }) => status !== 'running').length
  return <span className="text-xs font-normal text-muted">{words.steps(done, steps.length)}</span>
}
