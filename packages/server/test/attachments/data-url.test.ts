import { expect, test } from 'vitest'
import { readDataUrl } from '../../src/http/attachments/file-type.ts'

test.each([
  ['base64', 'data:text/plain;base64,aGVsbG8=', 'text/plain', 'hello'],
  ['base64 without its padding', 'data:text/plain;base64,aGVsbG8', 'text/plain', 'hello'],
  ['base64 that is percent-encoded', 'data:text/plain;base64,aGVsbG8%3D', 'text/plain', 'hello'],
  ['base64 in lines', 'data:text/plain;base64,aGVs\r\nbG8=', 'text/plain', 'hello'],
  ['text', 'data:text/plain,hello', 'text/plain', 'hello'],
  ['percent-encoded text', 'data:,h%C3%A9llo%2C%20you', '', 'héllo, you'],
  ['a charset', 'DATA:Text/Plain;charset=utf-8;BASE64,aGVsbG8=', 'text/plain', 'hello'],
  ['nothing', 'data:;base64,', '', ''],
])('a data URL with %s is decoded', (_, url, mediaType, text) => {
  const content = readDataUrl(url)
  expect(content?.mediaType).toBe(mediaType)
  expect(content?.bytes.toString()).toBe(text)
})

test.each([
  ['has no comma', 'data:text/plain;base64'],
  ['is another URL', 'https://example.com/,'],
  ['has signs that base64 does not have', 'data:text/plain;base64,aGVs*G8='],
  ['is in the URL form of base64', 'data:image/png;base64,__-_'],
  ['has padding in the middle', 'data:text/plain;base64,aGVs=bG8='],
  ['has one digit too many', 'data:text/plain;base64,aGVsb'],
  ['is encoded with half a percent sequence', 'data:text/plain,100%'],
  ['is not UTF-8 when it is decoded', 'data:text/plain,%FF%FE'],
  ['has a beginning that is no media type', `data:${'x'.repeat(1000)},hello`],
])('a data URL that %s is not guessed at', (_, url) => {
  expect(readDataUrl(url)).toBeUndefined()
})
