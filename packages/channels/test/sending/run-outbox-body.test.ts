import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Post } from '../../src/sending/post.ts'
import { keptFrom, postBody } from '../../src/sending/run-outbox.ts'

const text = fc.string({ unit: 'binary', maxLength: 20 })
const posts: fc.Arbitrary<Post> = fc.record(
  {
    text,
    before: text,
    reopening: text,
    closing: text,
    media: fc.array(text, { maxLength: 2 }),
    replyTo: text,
    isStatus: fc.boolean(),
  },
  { requiredKeys: [] },
)

test('a post comes back as it was kept', () => {
  fc.assert(
    fc.property(posts, post => {
      expect(keptFrom(postBody(post, 'key'))).toEqual({ post, key: 'key' })
    }),
  )
})

test('a body of an earlier release is read, also with what is no longer kept', () => {
  expect(keptFrom('{"text":"One.","messageIndex":0}')).toEqual({ post: { text: 'One.' }, key: undefined })
})

test.each(['', 'no JSON', 'null', '[]', '5', '{"text":5}', '{"media":"x"}', '{"isStatus":1}'])(
  'a damaged row is named as such: %s',
  body => {
    expect(() => keptFrom(body)).toThrow('An item of the outbox is damaged.')
  },
)

test('whatever stands in a row, it is a post or named as damaged', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), body => {
      try {
        postBody(keptFrom(body).post)
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining('damaged') })
      }
    }),
  )
})
