import { pictureBytes } from '@throughline/testing/browser/picture'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPicture } from '../../../src/values/keep-pictures.ts'
import { sniffPicture } from '../../../src/values/sniff-picture.ts'

const webp = (kind: string, ...rest: readonly number[]) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'), Buffer.from(rest)])

// Small real pictures, as far as their sizes are told.
const pictures = {
  png: pictureBytes,
  gif: Buffer.from('R0lGODlhAwACAIAAAP8AAP///yH5BAAAAAAALAAAAAADAAIAAAIDhI9WADs=', 'base64'),
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 20, 0, 30, 3, 1]),
  lossy: webp('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 40, 0x40, 50, 0x80),
  lossless: webp('VP8L', 0x2f, 0x27, 0xc0, 0x0c, 0),
  extended: webp('VP8X', 0, 0, 0, 0, 99, 0, 0, 199, 0, 0),
}

test.each([
  ['png', 'image/png', 1, 1],
  ['gif', 'image/gif', 3, 2],
  ['jpeg', 'image/jpeg', 30, 20],
  ['lossy', 'image/webp', 40, 50],
  ['lossless', 'image/webp', 40, 52],
  ['extended', 'image/webp', 100, 200],
] as const)('%s is known by its bytes', (name, mediaType, width, height) => {
  expect(sniffPicture(pictures[name])).toEqual({ mediaType, width, height })
})

test('no bytes are too strange to be looked at, and a picture that breaks off early is none', () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.constantFrom(...Object.values(pictures)),
      fc.nat(40),
      (tail, picture, length) => {
        sniffPicture(tail)
        sniffPicture(Buffer.concat([picture.subarray(0, length), tail]))
      },
    ),
  )
  for (const picture of Object.values(pictures)) expect(sniffPicture(picture.subarray(0, 8))).toBeUndefined()
})

test.each([
  ['XML', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a page', Buffer.from('<!doctype html><script>1</script>')],
  ['nothing', new Uint8Array()],
  ['a picture of no size', webp('VP8 ', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['a picture of an impossible size', Buffer.concat([pictureBytes.subarray(0, 16), Buffer.alloc(8, 0x7f)])],
])('%s is no picture', (_, bytes) => {
  expect(sniffPicture(bytes)).toBeUndefined()
})

test('a part of larger memory is looked at from its own beginning', () => {
  const memory = Buffer.concat([Buffer.alloc(100), pictureBytes])
  expect(sniffPicture(memory.subarray(100))).toMatchObject({ width: 1 })
})

test('a text is decoded only when it is all base64, in time that its length allows', () => {
  const base64 = Buffer.from(pictureBytes).toString('base64')
  expect(findPicture(base64)).toMatchObject({ mediaType: 'image/png' })
  expect(findPicture(`${base64.slice(0, 40)}\n${base64.slice(40)}`)).toMatchObject({ width: 1 })
  expect(findPicture(`${base64}!`)).toBeUndefined()
  expect(findPicture(`iVBORw0KGgo${' '.repeat(5_000_000)}!`)).toBeUndefined()
})
