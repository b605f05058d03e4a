import { describe, expect, test } from 'vitest'
import type { Cell, ConversationName, Row } from '../matrix.ts'
import { namesOf } from '../names-of.ts'
import { type Meaning, words } from '../words.ts'
import type { Conversation, StageOptions } from './conversation.ts'
import { conversations } from './conversations.ts'
import { history } from './history.ts'
import { playConversation } from './play-conversation.ts'
import type { Talker } from './talk.ts'
import type { Transcript } from './transcript.ts'

const played: Readonly<Record<ConversationName, Conversation>> = { ...conversations, history }

/** A test for each cell of these rows that is a conversation. */
export function testConversations<Name extends string>(
  rows: Readonly<Record<Name, Row>>,
  talkers: Readonly<Record<NoInfer<Name>, Talker>>,
  options: () => StageOptions = () => ({}),
): void {
  describe.each(namesOf(rows))('%s', name => {
    const { cells } = rows[name]
    const facts = namesOf(played).map(conversation => [conversation, factOf(cells[conversation])] as const)
    test.concurrent.each(facts)('%s: %s', async conversation => {
      if (meaningsOf(cells[conversation]).some(({ cannot }) => cannot))
        expect(await canHave(talkers[name], conversation)).toBe(false)
      else await checkCell(talkers[name], { conversation, cell: cells[conversation], options: options() })
    })
  })
}

interface Check {
  readonly conversation: ConversationName
  readonly cell: Cell
  readonly options: StageOptions
}

async function checkCell(talker: Talker, { conversation, cell, options }: Check): Promise<void> {
  const { whole } = played[conversation]
  const { shown, saved, given, shouldBeGiven } = await playConversation(talker, played[conversation], options)
  expect(saved).toEqual(whole)
  expect(given).toEqual(shouldBeGiven)
  const changes = meaningsOf(cell).map(({ converses }) => converses)
  expect(shown).toEqual(changes.reduce<Transcript>((each, change) => change?.(each) ?? each, whole))
}

/** Whether the client lets a person do what the conversation needs. Nothing is asked of a server. */
async function canHave(talker: Talker, conversation: ConversationName): Promise<boolean> {
  if (conversation === 'history') return talker.openAgain !== undefined
  await using talk = await talker.open({ url: 'http://127.0.0.1:1', kept: new Map() })
  return talk[conversation === 'stop, then send' ? 'stop' : conversation] !== undefined
}

function factOf(cell: Cell): string {
  return meaningsOf(cell)
    .map(({ means }) => means)
    .join('; ')
}

function meaningsOf(cell: Cell): readonly Meaning[] {
  return cell.map(word => words[word])
}
