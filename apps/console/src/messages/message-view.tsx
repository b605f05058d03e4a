import { type ChatError, isAgentMessage, senderNameOf } from '@throughline/client'
import { memo } from 'react'
import type { AgentItem } from '../agents/use-agents.ts'
import { isBeingWritten } from '../parts/stage.ts'
import { WithSources } from '../parts/with-sources.tsx'
import { useWords } from '../settings/settings.tsx'
import { AnswerFooter } from './answer-footer.tsx'
import type { MessageGroup } from './group-answers.ts'
import { PartList } from './part-list.tsx'
import { SenderMark } from './sender.tsx'
import { Tail } from './tail.tsx'
import { useArticleBox } from './use-article-box.ts'
import { UserMessageView } from './user-message-view.tsx'

interface AnswerProps {
  readonly group: MessageGroup
  readonly agents: readonly AgentItem[]
  /** The agent of the chat. It is named until the message itself names one. */
  readonly selectedAgent: string | undefined
  /** Whether it is the last message of the chat. Then the conversation can go on from how it ended. */
  readonly isLast?: boolean
}

interface Props extends AnswerProps {
  /** Why the message could not be sent. */
  readonly failure: ChatError | undefined
}

/** Draws a message. It is drawn again only when this message has changed. */
export const MessageView = memo(function MessageView({ failure, ...answer }: Props) {
  const { group } = answer
  return group.message.role === 'user' ? (
    <UserMessageView group={group} failure={failure} />
  ) : (
    <Answer {...answer} />
  )
})

function Answer({ group, agents, selectedAgent, isLast = false }: AnswerProps) {
  const { message, subAgents } = group
  const words = useWords()
  const name = senderNameOf(message, { agents, selectedAgent, fallback: words.agent })
  const box = useArticleBox(message)
  const isPerson = !isAgentMessage(message, name)
  return (
    <article
      data-role="assistant"
      data-message={message.id}
      data-status={message.metadata?.status}
      data-person={isPerson ? '' : undefined}
      style={box.style}
      className={`message flex gap-3 ${box.className}`}
    >
      <SenderMark name={name} isPerson={isPerson} />
      <div className="min-w-0 flex-1 space-y-3">
        <header className="text-sm font-semibold">
          <h2 data-sender>{name}</h2>
        </header>
        <WithSources message={message}>
          <PartList message={message} subAgents={subAgents} />
        </WithSources>
        {isBeingWritten(message) && <Tail group={group} name={name} />}
        <AnswerFooter group={group} isPerson={isPerson} isLast={isLast} />
      </div>
    </article>
  )
}
