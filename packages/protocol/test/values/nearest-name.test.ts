import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { didYouMean, editDistance, nearestName, unknownKey } from '../../src/values/names.ts'

describe('the nearest name', () => {
  test.each([
    ['web_fech', 'web_fetch'],
    ['web_fethc', 'web_fetch'],
    ['Web_Fetch', 'web_fetch'],
    ['webfetch', 'web_fetch'],
    ['calculater', 'calculator'],
  ])('of %s is %s', (name, expected) => {
    expect(nearestName(name, ['web_search', 'calculator', 'web_fetch'])).toBe(expected)
  })

  test('is none when nothing is near', () => {
    expect(nearestName('send_mail', ['web_fetch', 'calculator'])).toBeUndefined()
    expect(nearestName('x', [])).toBeUndefined()
  })
})

test('who is told what they probably meant is told nothing else', () => {
  expect(didYouMean('agnts', ['agents', 'tools'])).toBe('Did you mean "agents"?')
  expect(didYouMean('banana', ['tools', 'agents'])).toBe('There are: agents, tools.')
  expect(didYouMean('banana', [])).toBe('There are none.')
  const many = Array.from({ length: 40 }, (_, index) => `name-${index}`)
  expect(didYouMean('banana', many)).toMatch(/ and 10 more\.$/)
})

test('an unknown key is named, with the right one', () => {
  const known = { tools: true, agents: true } as const
  expect(unknownKey({ tools: 1, agents: 2 }, known)).toBeUndefined()
  expect(unknownKey({ tool: 1 }, known)).toBe('there is no option "tool". Did you mean "tools"?')
  expect(unknownKey({ constructor: 1 }, known)).toMatch('there is no option "constructor".')
})

describe('the distance between two words', () => {
  const word = fc.string({ maxLength: 12 })

  test('is none between a word and itself, and the same in both directions', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(editDistance(one, one)).toBe(0)
        expect(editDistance(one, other)).toBe(editDistance(other, one))
        if (one !== other) expect(editDistance(one, other)).toBeGreaterThan(0)
      }),
    )
  })

  test.each([
    ['', 'abc', 3],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
  ])('from "%s" to "%s" is %i', (one, other, expected) => {
    expect(editDistance(one, other)).toBe(expected)
  })
})
