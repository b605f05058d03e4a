import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ShownOnce } from '../../src/ai-sdk/shown-once.ts'

describe('a whole text that comes again is shown once', () => {
  test.each([
    [['Hello', ' world', 'Hello world']],
    [['It is 21 °C', ' in Lisbon.', 'It is 21 °C in Lisbon.']],
    [['The whole answer at once.', 'The whole answer at once.']],
    // With more at its end.
    [['The sky', ' is', 'The sky is clear.']],
    [['今天里斯本的天气晴朗，', '气温二十一度。', '今天里斯本的天气晴朗，气温二十一度。']],
    // Short ones.
    [['今天', '天气很好。', '今天天气很好。']],
    [['今天', '天气很好', '今天天气很好']],
    [['Yes.', 'Yes.']],
    [['好的。', '好的。']],
    [['生日快乐！', '生日快乐！']],
    [['Paris', 'Paris']],
    [['4', '2', '42']],
    [['O', 'K', 'OK']],
    [['No', '. ', 'No. ']],
  ])('as the last delta: %j', deltas => {
    expect(shown(deltas)).toBe(deltas.at(-1))
  })

  test('however short it is, if it came in several deltas', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), {
      minLength: 2,
      maxLength: 6,
    })
    fc.assert(
      fc.property(pieces.filter(isPlain), deltas => {
        expect(shown([...deltas, deltas.join('')])).toBe(deltas.join(''))
      }),
      { numRuns: 2_000 },
    )
  })

  test('however short it is, if it is a sentence', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-zéäß今天好]{1,8}[.!?。！？]$/), text => {
        expect(shown([text, text])).toBe(text)
      }),
    )
  })

  test.each([
    [['The', 'The sky', 'The sky is clear.']],
    [['The', 'The sky is clear.']],
    [['H', 'He', 'Hel', 'Hell', 'Hello', 'Hello!']],
    [['He', 'Hello', 'Hello world']],
    [['你', '你好', '你好，', '你好，世', '你好，世界']],
    [['The sky', 'The sky', 'The sky is', 'The sky is', 'The sky is clear.', 'The sky is clear.']],
  ])('as a snapshot: %j', deltas => {
    expect(shown(deltas)).toBe(deltas.at(-1))
  })

  test('in the end, whatever the deltas were', () => {
    fc.assert(
      fc.property(sentence, fc.array(fc.nat(80)), (text, cuts) => {
        expect(shown([...cutAt(text, cuts), text])).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('in snapshots, wherever they grow', () => {
    fc.assert(
      fc.property(
        sentence,
        fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { minLength: 4 }),
        (text, ends) => {
          const snapshots = ends.toSorted((a, b) => a - b).map(end => text.slice(0, end))
          expect(shown([...snapshots, text])).toBe(text)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a snapshot adds what is new as soon as it is known to be one', () => {
    const once = new ShownOnce()
    expect(['The', 'The sky', 'The sky is', 'The sky is clear.'].map(delta => once.take(delta))).toEqual([
      'The',
      '',
      ' sky is',
      ' clear.',
    ])
  })

  test('snapshots go on across a tool call', () => {
    const once = new ShownOnce()
    for (const delta of ['The', 'The sky', 'The sky is']) once.take(delta)
    expect(once.pause()).toBe('')
    expect(once.take('The sky is clear.')).toBe(' clear.')
  })
})

describe('a text that says the same again is shown as it is', () => {
  test.each([
    [['ha', 'ha']],
    [['ha', 'ha', 'haha']],
    [['ha', 'haha', 'hahahaha']],
    [['ha ', 'ha ']],
    [['No. ', 'No. ']],
    [['cous', 'cous']],
    [['1', '10', '100']],
    [['I', 'II', ' and', ' so on']],
    [['#', '## Title']],
    [['-', '--', '---']],
    [['\n', '\n\n', '\n\nHello.']],
    [['谢谢', '谢谢']],
    [['谢', '谢']],
    [['1', '1']],
    [['123', '123']],
    [['Yes.', 'Yes.', ' Of course.']],
    [['Yes.', 'Yes.', 'Yes.']],
    [['今天', '天气很好。', '今天天气很好。', '明天也是。']],
    [['好的', '好的，没问题']],
    [['I will be good.\n', 'I will be good.\n']],
    [['I will be good.', ' I will be good.']],
    [['a', 'ardvark', 's']],
    [['a', 'aa', 'aargh, not again.']],
    [['f', 'faaaa f', 'faaaa ffaaaa']],
    [Array.from({ length: 40 }, (_, index) => 'ha'.repeat(index + 1))],
    // Something follows, so it was not the whole text again.
    [['All is well. Or so', 'All is well. Or so', ' they say.']],
  ])('%j', deltas => {
    expect(shown(deltas)).toBe(deltas.join(''))
  })

  test('however often a word is said, and however that is cut', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}[.!]?$/)
    fc.assert(
      fc.property(
        word,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(' ', '\n', ', '),
        fc.array(fc.nat(100)),
        (...args) => {
          const [text, count, separator, cuts] = args
          const whole = Array.from({ length: count }, () => text).join(separator)
          expect(shown(cutAt(whole, cuts))).toBe(whole)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('whatever sentence it is, and however it is cut', () => {
    fc.assert(
      fc.property(sentence, fc.array(fc.nat(80)), (text, cuts) => {
        expect(shown(cutAt(text, cuts))).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  test('each delta at once, when it is shorter than the text so far', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 12 })), deltas => {
        const once = new ShownOnce()
        once.take('Twelve or more characters.')
        for (const delta of deltas) expect(once.take(delta)).toBe(delta)
      }),
    )
  })

  test('in another part', () => {
    const once = new ShownOnce()
    expect(once.take('Let me look that up.')).toBe('Let me look that up.')
    expect(once.pause()).toBe('')
    expect(once.take('Let me look that up.')).toBe('Let me look that up.')
  })
})

/**
 * Words that are not all the same, as a person would write them. If a text begins with the same letters twice ("hulahula"),
 * nobody can tell the second ones from a repetition.
 */
const sentence = fc
  .uniqueArray(fc.stringMatching(/^[a-zäößé]{2,9}$/), { minLength: 4, maxLength: 14 })
  .map(words => `${words.join(' ')}.`)
  .filter(text => new Set(text).size > 5 && !/^(.{2,})\1/.test(text))

/** No delta before the last one is all of the text so far, and the text is not one text repeated. */
function isPlain(deltas: readonly string[]): boolean {
  const text = deltas.join('')
  const isHeldBack = deltas.some((delta, index) => {
    const before = deltas.slice(0, index).join('')
    return before !== '' && delta.startsWith(before)
  })
  return text.trim() !== '' && !isHeldBack && !/^(.+?)\1+.*$/su.test(text)
}

function shown(deltas: readonly string[]): string {
  const once = new ShownOnce()
  return deltas.map(delta => once.take(delta)).join('') + once.pause()
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const positions = [0, ...cuts.filter(cut => cut > 0 && cut < text.length), text.length].toSorted(
    (a, b) => a - b,
  )
  return positions
    .slice(1)
    .map((position, index) => text.slice(positions[index], position))
    .filter(piece => piece !== '')
}
