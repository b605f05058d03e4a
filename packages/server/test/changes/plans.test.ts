import { chatFrom, fold, isMessageId, isRunId, messagesOf, previousOf, rootsOf } from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'
import { idOf } from '@throughline/testing/log/id-of'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Planned, planDelete, planMove } from '../../src/changes/plans.ts'

/** What stands at a place of a random chat: who wrote it, and behind which message it was written. */
interface Place {
  readonly author: 'user' | 'agent' | 'sub-agent'
  readonly behind: number | 'last'
}

const place: fc.Arbitrary<Place> = fc.record({
  author: fc.constantFrom('user' as const, 'agent', 'sub-agent'),
  behind: fc.oneof(fc.constant('last' as const), fc.nat({ max: 30 })),
})

const chats = fc.array(place, { minLength: 1, maxLength: 14, size: 'max' }).map(chatOf)

test('deleting takes away what belongs to a message, and nothing else: all that is left keeps its way', () => {
  fc.assert(
    fc.property(chats, fc.nat({ max: 30 }), (before, pick) => {
      const chosen = pickOf(before.filter(isSpeaker), pick)
      if (chosen === undefined) return
      const after = changed(before, planDelete(before, idOf(isMessageId, chosen.id)) ?? [])
      const gone = new Set(belonging(before, chosen))
      expect(idsOf(after)).toEqual(idsOf(before).filter(id => !gone.has(id)))
      for (const { id } of after.filter(isSpeaker))
        expect(wayTo(after, id)).toEqual(wayTo(before, id).filter(each => !gone.has(each)))
      expect(rootsOf(after)).toEqual(new Map([...rootsOf(before)].filter(([id]) => !gone.has(id))))
    }),
  )
})

test('moving loses nothing: what moves stays together, and all else keeps its way around it', () => {
  fc.assert(
    fc.property(chats, fc.nat({ max: 30 }), fc.nat({ max: 30 }), (before, pick, pickAfter) => {
      const chosen = pickOf(
        before.filter(({ role }) => role === 'user'),
        pick,
      )
      if (chosen === undefined) return
      const moved = new Set(belonging(before, chosen))
      const places = ['', ...idsOf(before.filter(isSpeaker)).filter(id => !moved.has(id))]
      const behind = pickOf(places, pickAfter) ?? ''
      const plan = planMove(before, { messageId: idOf(isMessageId, chosen.id), after: behind })
      if (plan.type === 'refused') throw new Error(plan.why)
      const after = changed(before, plan.entries)
      expect(idsOf(after).toSorted()).toEqual(idsOf(before).toSorted())
      for (const { id } of before.filter(isSpeaker)) {
        const isOwn = moved.has(id)
        const others = (ids: readonly string[]) => ids.filter(each => moved.has(each) === isOwn)
        expect(others(wayTo(after, id))).toEqual(others(wayTo(before, id)))
        // Nobody follows what stands behind it.
        expect(idsOf(after).indexOf(previousOf(after, id) ?? '')).toBeLessThan(idsOf(after).indexOf(id))
      }
      expect(wayTo(after, chosen.id)).toContain(behind === '' ? chosen.id : behind)
      expect(rootsOf(after)).toEqual(rootsOf(before))
    }),
  )
})

test.each([
  ['an unknown message', 'nobody', '', 'unknown-message'],
  ["a sub-agent's message", 's', '', 'unknown-message'],
  ['an answer', 'a', '', 'not-a-question'],
  ['a message behind itself', 'q', 'q', 'unknown-place'],
  ['a message behind its own answer', 'q', 'a', 'unknown-place'],
  ['a message behind an unknown one', 'q', 'nobody', 'unknown-place'],
  ['a message behind a message of a sub-agent', 'q', 's', 'unknown-place'],
])('%s is not moved', (_, messageId, after, why) => {
  const parent = { messageId: 'a', toolCallId: 'call' }
  const chat: readonly MessageOutline[] = [
    { id: 'q', role: 'user' },
    { id: 'a', role: 'assistant' },
    { id: 's', role: 'assistant', metadata: { parent } },
  ]
  expect(planMove(chat, { messageId: idOf(isMessageId, messageId), after })).toEqual({ type: 'refused', why })
})

test('a chat in its order needs no notes', () => {
  const chat: readonly MessageOutline[] = ['q1', 'a1', 'q2', 'a2', 'q3', 'a3'].map(id => ({
    id,
    role: id.startsWith('q') ? 'user' : 'assistant',
  }))
  const deleted = planDelete(chat, idOf(isMessageId, 'q2'))
  expect(deleted).toHaveLength(1)
  expect(idsOf(changed(chat, deleted ?? []))).toEqual(['q1', 'a1', 'q3', 'a3'])
  const moved = planMove(chat, { messageId: idOf(isMessageId, 'q3'), after: '' })
  expect(moved).toMatchObject({ entries: [{ chunk: { type: 'data-rearrange', data: { after: '' } } }] })
  expect(planMove(chat, { messageId: idOf(isMessageId, 'q2'), after: 'q1' })).toEqual({
    type: 'planned',
    entries: [],
  })
})

/** The chat after a change, as every reader of the log gets it. */
function changed(
  messages: readonly MessageOutline[],
  planned: readonly Planned[],
): readonly MessageOutline[] {
  const runId = idOf(isRunId, 'run')
  const chat = planned.reduce(
    (folded, each) => fold(folded, { ...each, runId, seq: folded.seq + 1 }),
    chatFrom(
      messages.map(message => ({ ...message, parts: [] })),
      0,
    ),
  )
  return messagesOf(chat)
}

function chatOf(places: readonly Place[]): readonly MessageOutline[] {
  const chat: MessageOutline[] = []
  for (const [index, { author, behind }] of places.entries()) {
    const speakers = idsOf(chat.filter(isSpeaker))
    const last = speakers.at(-1) ?? ''
    const answer = pickOf(idsOf(chat.filter(({ role }) => role === 'assistant')), Number(behind) || 0)
    if (author === 'sub-agent' && answer !== undefined) {
      const parent = { messageId: answer, toolCallId: 'call' }
      chat.push({ id: `s${index}`, role: 'assistant', metadata: { parent } })
      continue
    }
    const follows = behind === 'last' ? last : (pickOf(['', ...speakers], behind) ?? '')
    const metadata = follows === last ? {} : { metadata: { previousMessageId: follows } }
    const isQuestion = author === 'user' || follows === ''
    chat.push({ id: `m${index}`, role: isQuestion ? 'user' : 'assistant', ...metadata })
  }
  return chat
}

/** What belongs to a message, told apart from how it is found in the code: by going up from every message. */
function belonging(
  messages: readonly MessageOutline[],
  { id: chosen, role }: MessageOutline,
): readonly string[] {
  const roots = rootsOf(messages)
  const roles = new Map(messages.map(message => [message.id, message.role]))
  const isOwn = (id: string): boolean => {
    if (id === chosen) return true
    return role === 'user' && roles.get(id) === 'assistant' && isOwn(previousOf(messages, id) ?? '')
  }
  return idsOf(messages).filter(id => isOwn(roots.get(id) ?? id))
}

/** The messages on the way to a message, from the first one on, and itself. */
function wayTo(messages: readonly MessageOutline[], id: string): readonly string[] {
  return id === '' ? [] : [...wayTo(messages, previousOf(messages, id) ?? ''), id]
}

function isSpeaker({ metadata }: MessageOutline): boolean {
  return metadata?.parent === undefined
}

function idsOf(messages: readonly MessageOutline[]): readonly string[] {
  return messages.map(({ id }) => id)
}

function pickOf<Each>(from: readonly Each[], index: number): Each | undefined {
  return from[index % Math.max(1, from.length)]
}
