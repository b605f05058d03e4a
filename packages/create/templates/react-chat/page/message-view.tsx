import { isToolPart, type Message, type Part } from '@throughline/client'
import { Fragment } from 'react'
import { ToolCard } from './tool-card.tsx'

interface MessageViewProps {
  message: Message
  /** All messages of the chat. Those of sub-agents are shown in the tool calls that they work for. */
  messages: readonly Message[]
  approve(approvalId: string, isApproved: boolean): unknown
}

/** One message: its text, its reasoning and its tool calls, in the order in which they happened. */
export function MessageView({ message, messages, approve }: MessageViewProps) {
  const { role, parts, metadata } = message
  const partView = (part: Part) => {
    // Models write Markdown. To show it as such, put your Markdown component here.
    if (part.type === 'text') return <p>{part.text}</p>
    if (part.type === 'reasoning') return <p className="hint">{part.text}</p>
    if (!isToolPart(part)) return null
    const subAgents = messages.filter(each => each.metadata?.parent?.toolCallId === part.toolCallId)
    return (
      <ToolCard part={part} approve={approve}>
        {subAgents.map(each => (
          <MessageView key={each.id} message={each} messages={messages} approve={approve} />
        ))}
      </ToolCard>
    )
  }

  return (
    <article className={role}>
      {role === 'assistant' && <h2>{metadata?.senderName ?? 'Assistant'}</h2>}
      {parts.map((part, index) => (
        // Parts are only added at the end, so their index never changes.
        <Fragment key={index}>{partView(part)}</Fragment>
      ))}
      {metadata?.statusText && (
        <p role={metadata.status === 'failed' ? 'alert' : 'status'}>{metadata.statusText}</p>
      )}
    </article>
  )
}
