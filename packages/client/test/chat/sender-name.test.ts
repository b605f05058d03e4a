import type { Message, MessageMetadata } from '@throughline/protocol'
import { describe, expect, test } from 'vitest'
import { isAgentMessage, senderNameOf } from '../../src/chat/chat-snapshot.ts'

const agents = [
  { name: 'researcher', displayName: 'The researcher' },
  { name: 'writer', displayName: 'The writer' },
  { name: 'nameless', displayName: '' },
]
const fallback = '智能体'

describe('senderNameOf', () => {
  test.each<[string, MessageMetadata | undefined, string | undefined, string]>([
    ['the message’s own name', { senderName: 'Ada', agentUsed: 'writer' }, 'researcher', 'Ada'],
    ['the name of the agent it used', { agentUsed: 'writer' }, 'researcher', 'The writer'],
    ['the agent it used, when the list does not have it', { agentUsed: 'gone' }, 'researcher', 'gone'],
    ['the agent it used, when that has no name to show', { agentUsed: 'nameless' }, 'writer', 'nameless'],
    ['the name of the chosen agent', {}, 'researcher', 'The researcher'],
    ['the chosen agent, when the list does not have it', undefined, 'gone', 'gone'],
    ['the word for an agent that nobody named', undefined, undefined, fallback],
  ])('is %s', (_, metadata, selectedAgent, name) => {
    expect(senderNameOf({ metadata }, { agents, selectedAgent, fallback })).toBe(name)
  })

  test('an empty name counts as none, wherever it stands', () => {
    const empty = { senderName: '', agentUsed: '' }
    expect(senderNameOf({ metadata: { ...empty, agentUsed: 'writer' } }, { agents, fallback })).toBe(
      'The writer',
    )
    expect(senderNameOf({ metadata: empty }, { agents, selectedAgent: 'writer', fallback })).toBe(
      'The writer',
    )
    expect(senderNameOf({ metadata: empty }, { agents, selectedAgent: '', fallback })).toBe(fallback)
  })

  test('needs no list of agents', () => {
    expect(senderNameOf({ metadata: { agentUsed: 'writer' } }, { fallback })).toBe('writer')
    expect(senderNameOf({}, { fallback: 'Agent' })).toBe('Agent')
  })
})

describe('isAgentMessage', () => {
  test.each<[boolean, MessageMetadata['communicationType'], Message['role']]>([
    [true, 'agent-to-user', 'assistant'],
    [true, 'agent-to-agent', 'assistant'],
    [true, 'agent-to-user', 'user'],
    [false, 'user-to-agent', 'user'],
    [false, 'user-to-agent', 'assistant'],
    [false, 'user-to-user', 'user'],
    [false, 'user-to-user', 'assistant'],
  ])('is %s for %s, whatever the role (%s)', (isAgent, communicationType, role) => {
    expect(isAgentMessage(messageFrom(role, { communicationType }))).toBe(isAgent)
    expect(isAgentMessage(messageFrom(role, { communicationType }), 'user::bob')).toBe(isAgent)
  })

  test.each<[boolean, Message['role'], string | undefined]>([
    [true, 'assistant', 'researcher'],
    [false, 'assistant', undefined],
    [false, 'assistant', ''],
    [false, 'assistant', 'user::bob'],
    [false, 'user', 'researcher'],
    [false, 'system', 'researcher'],
  ])('without a communication type is %s for role %s and chosen agent %s', (isAgent, role, selectedAgent) => {
    expect(isAgentMessage(messageFrom(role, {}), selectedAgent)).toBe(isAgent)
    expect(isAgentMessage(messageFrom(role, undefined), selectedAgent)).toBe(isAgent)
  })
})

function messageFrom(role: Message['role'], metadata: MessageMetadata | undefined): Message {
  return { id: 'message', role, metadata, parts: [] }
}
