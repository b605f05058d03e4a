import type { ChatError } from '@throughline/client'
import type { Message } from '@throughline/protocol'
import { useEffect, useMemo, useState } from 'react'
import { groupAnswers } from '../chat/group-answers.ts'
import { MessageList } from '../chat/message-list.tsx'

const groupsPerFrame = 40
const noAgents: readonly never[] = []
const noVersions: ReadonlyMap<string, readonly string[]> = new Map()
const noFailures: ReadonlyMap<string, ChatError> = new Map()

/**
 * The messages of a shared chat, drawn as the chat draws them. Nothing can be sent, changed or decided here. The first ones
 * are drawn at once, and more with every animation frame: so a long chat does not block the page.
 */
export function SharedMessages({ messages }: { readonly messages: readonly Message[] }) {
  const groups = useMemo(() => groupAnswers({ messages, versions: noVersions }, []), [messages])
  const [count, setCount] = useState(groupsPerFrame)
  useEffect(() => {
    if (count >= groups.length) return
    const frame = requestAnimationFrame(() => setCount(count + groupsPerFrame))
    return () => cancelAnimationFrame(frame)
  }, [count, groups])
  return (
    <div
      data-busy=""
      className="messages mx-auto flex max-w-3xl flex-col gap-3 [&_.quiet]:hidden [&_[role=alertdialog]_button]:hidden"
    >
      <MessageList
        groups={groups.slice(0, count)}
        offset={0}
        agents={noAgents}
        selectedAgent={undefined}
        unsent={noFailures}
        // As where a person writes in place of the agent, no agent is asked to go on.
        isReplying
      />
    </div>
  )
}
