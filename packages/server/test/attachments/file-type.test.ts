import { pictureBytes } from '@throughline/testing/browser/picture'
import { expect, test } from 'vitest'
import { fileType } from '../../src/http/attachments/file-type.ts'

const pdf = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj', 'latin1')
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
const gif = Buffer.from([...Buffer.from('GIF89a'), 1, 0, 1, 0, 0, 0, 0])
const words = Buffer.from('Some words, and more.')

const typeOf = (bytes: Uint8Array, mediaTypes: readonly string[], filename?: string) =>
  fileType(bytes, { mediaTypes, filename })

test.each([
  ['a PNG', pictureBytes, ['image/png', 'image/png'], 'image/png'],
  ['a PNG of which nothing is said', pictureBytes, ['', 'application/octet-stream'], 'image/png'],
  ['a GIF', gif, ['image/gif'], 'image/gif'],
  ['a PDF', pdf, ['application/pdf'], 'application/pdf'],
  ['a PDF under an older name', pdf, ['application/x-pdf', ''], 'application/pdf'],
  ['plain text', words, ['text/plain;charset=utf-8'], 'text/plain'],
  ['text that begins like a picture', Buffer.from('GIF89a is a format.'), ['text/plain'], 'text/plain'],
  ['Markdown', words, ['text/markdown', 'text/plain'], 'text/markdown'],
  ['CSV', words, ['Text/CSV'], 'text/csv'],
  ['JSON', Buffer.from('{"a":1}'), ['application/json'], 'application/json'],
  ['markup that is sent as text', svg, ['text/plain'], 'text/plain'],
])('%s is accepted', (_, bytes, claims, type) => {
  expect(typeOf(bytes, claims)).toBe(type)
})

test.each([
  ['a PNG that is sent as a JPEG', pictureBytes, ['image/jpeg']],
  ['a PNG whose two types differ', pictureBytes, ['image/png', 'image/gif']],
  ['a picture that is sent as text', pictureBytes, ['text/plain']],
  ['text that is sent as a picture', words, ['image/png']],
  ['text that is sent as a PDF', words, ['application/pdf']],
  ['an SVG', svg, ['image/svg+xml']],
  ['an SVG that is sent as a PNG', svg, ['image/png']],
  ['a web page', Buffer.from('<p>Hello</p>'), ['text/html']],
  ['JSON that is none', words, ['application/json']],
  ['text with a zero byte', Buffer.from('a\0b'), ['text/plain']],
  ['text in UTF-16', Buffer.from('text', 'utf16le'), ['text/plain']],
  ['bytes that are nothing', Buffer.from([0xff, 0xfe, 0x00, 0x01]), ['']],
  ['a zip', Buffer.from('PK\x03\x04'), ['application/zip']],
])('%s is refused', (_, bytes, claims) => {
  expect(typeOf(bytes, claims)).toBeUndefined()
})

test('text of which nothing is said has the type of its file name, if it fits', () => {
  expect(typeOf(words, [''], 'notes.md')).toBe('text/markdown')
  expect(typeOf(words, [''], 'table.CSV')).toBe('text/csv')
  expect(typeOf(words, [''], 'words.json')).toBe('text/plain')
  expect(typeOf(words, [''], 'page.html')).toBe('text/plain')
  expect(typeOf(words, [''])).toBe('text/plain')
})
