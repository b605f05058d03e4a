import type { Agent } from '@throughline/agents/agent'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import type { Submission } from '../runs/claim-run.ts'
import type { Services } from './context.ts'
import { userMessageFrom } from './requests.ts'

interface Asked {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly message: unknown
  readonly agent?: string | undefined
  readonly expected_assistant_message_id?: string | undefined
  readonly context: Submission['context']
  readonly onBusy: Submission['onBusy']
}

/** A request for an answer, checked: a known agent and a message that can be saved. */
export function submissionFrom({ agents, now }: Services, asked: Asked): Submission {
  const { ownerId, chatId, context, onBusy } = asked
  const agent = agentNamed(agents, asked.agent)
  const message = userMessageFrom(asked.message, { to: agent.displayName, at: now().toISOString() })
  const proposedAnswerId = asked.expected_assistant_message_id
  return {
    ownerId,
    chatId,
    messageId: message.id,
    message,
    agent: agent.name,
    proposedAnswerId,
    context,
    onBusy,
  }
}

function agentNamed(agents: ReadonlyMap<string, Agent>, name: string | undefined): Agent {
  const [first] = agents.values()
  const agent = name === undefined ? first : agents.get(name)
  if (agent !== undefined) return agent
  const known = [...agents.keys()].join(', ')
  throw new ProblemError(
    400,
    'unknown-agent',
    `There is no agent ${JSON.stringify(name?.slice(0, 100))}. Known agents: ${known}.`,
  )
}
