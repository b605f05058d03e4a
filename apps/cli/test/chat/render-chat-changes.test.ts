import { userMessage } from '@throughline/testing/log/entries-of'
import { describe, expect, test } from 'vitest'
import {
  calls,
  ends,
  RenderedChat,
  returns,
  runs,
  says,
  starts,
  startsFor,
  textEnds,
  textGoesOn,
  textStarts,
  took,
} from './rendered-chat.ts'

describe('sub-agents', () => {
  test('stand indented under the call that asked them, with their name', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), calls('subAgent', { name: 'reader', task: 'Read it.' }, 'c'))
    chat.add('a', runs('c'))
    chat.add('b', startsFor('a', 'c', 'Reader'), ...says('One.\n\nTwo.'), calls('fetch', {}, 'f'))
    chat.add('b', returns({}, 'f'), ends())
    chat.add('a', returns({ ok: true }, 'c'), took(4_600, 'c'), ...says('So.'), ends())
    expect(chat.screen).toBe(
      [
        'Ann › ⚙ reader Read it. …',
        '  Reader › One.',
        '',
        '  Two.',
        '  ⚙ fetch {} … ✓',
        'Ann › ✓ Reader 4.6 s',
        'So.',
      ].join('\n'),
    )
  })

  test('that speak at the same time are told apart, and no sentence is torn apart', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), calls('one', {}, 'c1'), calls('two', {}, 'c2'))
    chat.add('b', startsFor('a', 'c1', 'Reader'), textStarts(), textGoesOn('The first '))
    chat.add('c', startsFor('a', 'c2', 'Reader'), textStarts(), textGoesOn('The second '))
    chat.add('b', textGoesOn('says.'))
    chat.add('c', textGoesOn('says '))
    chat.add('b', textEnds())
    chat.add('c', textGoesOn('more.'), textEnds())
    expect(chat.screen).toBe(
      [
        'Ann › ⚙ one {} …',
        '⚙ two {} …',
        '  Reader › The first says.',
        '  Reader (2) › The second says more.',
      ].join('\n'),
    )
  })

  test('that could not be asked are a failed call', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), calls('subAgent', { name: 'nobody', task: 'Go.' }, 'c'))
    chat.add('a', returns({ ok: false, code: 'UNKNOWN', message: 'There is no nobody.' }, 'c'))
    expect(chat.screen).toBe('Ann › ⚙ nobody Go. … ✗ There is no nobody.')
  })

  test('look the same in history as they did to one who saw one of them at work', () => {
    const chat = new RenderedChat()
    chat.add('q', userMessage('q', 'Read it'))
    chat.add('a', starts(), ...says('Well.'), calls('subAgent', { name: 'reader', task: 'Read it.' }, 'c'))
    chat.add('b', startsFor('a', 'c', 'Reader'), ...says('Read.'), ends())
    chat.add('a', returns({}, 'c'), ...says('Done.', 'text-2'), ends())
    expect(chat.onNewScreen().screen).toBe(chat.screen)
    expect(chat.screen).toContain('\n  Reader › Read.\nAnn › ✓ Reader\n')
  })
})

describe('another branch', () => {
  const answered = () => {
    const chat = new RenderedChat()
    chat.add('q', userMessage('q', 'Hello'))
    chat.add('a', starts(), ...says('Hi.'), ends())
    return chat
  }

  test('with another answer shows that answer alone, and says that it is another one', () => {
    const chat = answered()
    chat.type('/again')
    const written = chat.add('a2', starts({ previousMessageId: 'q' }), ...says('Good day.'), ends())
    expect(written).toBe('Ann › ↻ answer 2 of 2\nGood day.')
    expect(chat.show()).toBe('')
  })

  test('that begins in the middle of a text leaves the rest of that text out', () => {
    const chat = new RenderedChat()
    chat.add('q', userMessage('q', 'Hello'))
    chat.add('a', starts(), textStarts(), textGoesOn('Hi, how'))
    const written = chat.add('a2', starts({ previousMessageId: 'q' }), ...says('Good day.'))
    expect(written).toBe('\nAnn › ↻ answer 2 of 2\nGood day.')
    expect(chat.add('a', textGoesOn(' are you?'))).toBe('')
  })

  test('with an edited message shows that message, unless it was typed here', () => {
    const edited = userMessage('q2', 'Good evening')
    const chunk = { ...edited, data: { ...edited.data, metadata: { previousMessageId: '' } } }
    const chat = answered()
    expect(chat.add('q2', chunk)).toBe('\n\nYou (edited) › Good evening')
    const own = answered()
    own.type('Good evening')
    expect(own.add('q2', chunk)).toBe('')
  })
})

describe('a chat that is loaded anew', () => {
  test('is not printed again, and goes on where it was', () => {
    const chat = new RenderedChat()
    chat.add('q', userMessage('q', 'Hello'))
    chat.add('a', starts(), calls('one', {}), textStarts(), textGoesOn('Hi'))
    expect(chat.reload()).toBe('')
    expect(chat.add('a', textGoesOn(', you.'))).toBe(', you.')
    expect(chat.add('a', returns({}, 'call-one'), textEnds(), ends())).toBe('\n✓ one')
    expect(chat.reload()).toBe('')
  })

  test('after it was removed begins on the same screen', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), ...says('Hi.'), ends())
    expect(chat.empty()).toBe('')
    expect(chat.add('b', starts(), ...says('New.'))).toBe('\nAnn › New.')
  })

  test('with a step that was made again prints what has changed in it', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), { type: 'start-step' }, textStarts(), textGoesOn('The sky is'))
    expect(chat.add('a', { type: 'reset-step' }, textStarts('text-2'), textGoesOn('The sky', 'text-2'))).toBe(
      '',
    )
    expect(chat.add('a', textGoesOn(' was', 'text-2'))).toBe('\n↻ The sky was')
    expect(chat.add('a', textGoesOn(' blue.', 'text-2'))).toBe(' blue.')
  })

  test('with a step that was made again and came to the same prints nothing twice', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), { type: 'start-step' }, textStarts(), textGoesOn('The sky'))
    chat.add('a', { type: 'reset-step' }, textStarts('text-2'), textGoesOn('The sky is blue.', 'text-2'))
    expect(chat.screen).toBe('Ann › The sky is blue.')
  })
})
