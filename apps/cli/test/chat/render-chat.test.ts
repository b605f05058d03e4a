import { userMessage } from '@throughline/testing/log/entries-of'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { painter } from '../../src/text/look.ts'
import {
  calls,
  ends,
  RenderedChat,
  returns,
  runs,
  says,
  starts,
  textEnds,
  textGoesOn,
  textStarts,
  took,
} from './rendered-chat.ts'

describe('a text that grows', () => {
  test('is written on where it ended, and never again', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), textStarts())
    expect(chat.add('a', textGoesOn('Let me'))).toBe('Ann › Let me')
    expect(chat.show()).toBe('')
    expect(chat.add('a', textGoesOn(' look.'))).toBe(' look.')
    expect(chat.add('a', textEnds(), ends())).toBe('')
  })

  test('comes out the same, however it is cut', () => {
    const character = fc.constantFrom('a', ' ', '\n', '😀', '你', '\u001b', 'é')
    fc.assert(
      fc.property(fc.array(character), fc.array(fc.nat(40)), (characters, cuts) => {
        const text = characters.join('')
        const places = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((place, index) => text.slice(places[index], place))
        const cut = new RenderedChat()
        cut.add('a', starts(), textStarts(), ...pieces.map(piece => textGoesOn(piece)), textEnds(), ends())
        const whole = new RenderedChat()
        whole.addAtOnce('a', starts(), ...says(text), ends())
        expect(cut.screen).toBe(whole.screen)
        expect(cut.screen.isWellFormed()).toBe(true)
      }),
    )
  })

  test('keeps its empty lines, but not those around it', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), ...says('\n\nOne.\n\n'), ...says('Two.\n\nThree.\n', 'text-2'), ends())
    expect(chat.screen).toBe('Ann › One.\nTwo.\n\nThree.')
  })

  test('goes on in a new line when something else has ended its line', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), textStarts(), textGoesOn('One'))
    chat.breakLine()
    expect(chat.add('a', textGoesOn(' two'))).toBe('two')
    expect(chat.add('a', textGoesOn(' three'))).toBe(' three')
  })

  test('cannot steer the terminal', () => {
    const chat = new RenderedChat()
    chat.add('a', starts({ senderName: 'A\u001bnn' }), ...says('One\r\u001b[2J\u0007\u009b31m\ttwo'))
    expect(chat.screen).toBe('A\\u{1b}nn › One[2J31m\ttwo')
  })
})

describe('who speaks', () => {
  test('is said once, as long as nobody else speaks', () => {
    const chat = new RenderedChat()
    chat.add('q', userMessage('q', 'Hello'))
    chat.add('a', starts(), ...says('Hi.'), ...says('How are you?', 'text-2'), ends())
    chat.add('q2', userMessage('q2', 'Fine'))
    expect(chat.screen).toBe('You › Hello\nAnn › Hi.\nHow are you?\n\nYou › Fine')
  })

  test('is not said for what was typed here, but for the same words from elsewhere', () => {
    const chat = new RenderedChat()
    chat.type('Hello')
    chat.add('q', userMessage('q', 'Hello'))
    chat.add('a', starts(), ...says('Hi.'), ends())
    chat.add('q2', userMessage('q2', 'Hello'))
    expect(chat.screen).toBe('> Hello\nAnn › Hi.\n\nYou › Hello')
  })
})

describe('a tool call', () => {
  test('is one line, whose end says how long it took', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), ...says('I look.'), { type: 'tool-input-start', toolCallId: 'c', toolName: 'w' })
    expect(chat.add('a', calls('weather', { city: 'Lisbon' }, 'c'))).toBe('\n⚙ weather {"city":"Lisbon"} …')
    chat.add('a', runs('c'), returns({}, 'c'), took(120, 'c'))
    chat.add('a', ...says('Sunny.', 'text-2'), ends())
    expect(chat.screen).toBe('Ann › I look.\n⚙ weather {"city":"Lisbon"} … ✓ 120 ms\nSunny.')
  })

  test('that ends after another one began has its end in a line of its own', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), calls('one', {}), calls('two', {}))
    chat.add('a', returns({}, 'call-one'), returns({}, 'call-two'))
    expect(chat.screen).toBe('Ann › ⚙ one {} …\n⚙ two {} …\n✓ one\n✓ two')
  })

  test('that failed says why', () => {
    const chat = new RenderedChat()
    chat.add('a', starts(), calls('one', {}), {
      type: 'tool-output-error',
      toolCallId: 'call-one',
      errorText: 'No\nnetwork',
    })
    expect(chat.screen).toBe('Ann › ⚙ one {} … ✗ No network')
  })

  test('is cut to the width of the screen, but not in the middle of a character', () => {
    const chat = new RenderedChat({ columns: 40 })
    chat.add('a', starts(), calls('say', { text: '你好'.repeat(40) }))
    expect(chat.screen).toBe('Ann › ⚙ say {"text":"你好你… …')
  })

  test('that waits for approval is shown complete, with what could deceive the reader', () => {
    const chat = new RenderedChat({ columns: 40 })
    const input = { text: 'x'.repeat(100), to: 'a\u202eb' }
    chat.add('a', starts(), calls('send', input), {
      type: 'tool-approval-request',
      toolCallId: 'call-send',
      approvalId: 'p',
    })
    expect(chat.screen).toContain(`\n? send waits for your approval:\n{\n  "text": "${'x'.repeat(100)}",\n`)
    expect(chat.screen).toContain('  "to": "a\\u{202e}b"\n}')
    const denied = chat.add(
      'a',
      { type: 'tool-approval-response', approvalId: 'p', approved: false, reason: 'not now' },
      { type: 'tool-output-denied', toolCallId: 'call-send' },
    )
    expect(denied).toBe('\n✗ send: not allowed: not now')
  })
})

describe('the end of an answer', () => {
  test.each([
    ['stopped', '■ stopped'],
    ['failed', '✗ failed: No more words.'],
    ['limit', '✗ limit reached: No more words.'],
    ['interrupted', '✗ interrupted: No more words.'],
  ] as const)('is told when it was %s', (status, line) => {
    const chat = new RenderedChat()
    chat.add('a', starts(), textStarts(), textGoesOn('Well,'), ends({ status, statusText: 'No more words.' }))
    expect(chat.screen).toBe(`Ann › Well,\n${line}`)
  })

  test('shows where it went on after a crash', () => {
    const chat = new RenderedChat()
    const mark = { type: 'data-continued', id: 'continued-1', data: { attempt: 1 } } as const
    chat.add('a', starts(), textStarts(), textGoesOn('Well,'), textEnds(), mark)
    expect(chat.screen).toBe('Ann › Well,\n↻ continued after a restart')
  })

  test('shows that it waits after the second crash, and then where it went on', () => {
    const chat = new RenderedChat()
    const mark = { type: 'data-continued', id: 'continued-1' } as const
    chat.add('a', starts(), { ...mark, data: { attempt: 1, isWaiting: true } })
    expect(chat.screen).toContain('↻ the server crashed here more than once; waits for its turn to go on')
    chat.add('a', { ...mark, data: { attempt: 2 } })
    expect(chat.screen).toContain('↻ continued after a restart')
  })

  test('is told when it says nothing', () => {
    const chat = new RenderedChat()
    const statusText = 'The agent ended without saying anything.'
    chat.add('a', starts(), ends({ status: 'finished', isEmpty: true, statusText }))
    expect(chat.screen).toContain(`○ ${statusText}`)
  })
})

describe('colours', () => {
  test('end with every piece, and reasoning is dimmed', () => {
    const chat = new RenderedChat({ paint: painter(true) })
    chat.add('a', starts(), { type: 'reasoning-start', id: 'r' })
    expect(chat.add('a', { type: 'reasoning-delta', id: 'r', delta: 'Hm' })).toBe(
      '\u001b[1m\u001b[36mAnn › \u001b[39m\u001b[22m\u001b[2mHm\u001b[22m',
    )
    expect(chat.add('a', { type: 'reasoning-delta', id: 'r', delta: '.' })).toBe('\u001b[2m.\u001b[22m')
  })
})
