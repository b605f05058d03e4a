import { expect, test } from 'vitest'
import { readableText } from '../../src/web/web-fetch-tool.ts'

const url = 'https://example.com/'
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const ascii = (text: string) => Buffer.from(text, 'latin1')
const read = async (contentType: string | undefined, body: Uint8Array) =>
  readableText({ url, contentType, body })

const words = [
  ['utf-8', '你好', Buffer.from('你好')],
  ['gbk', '你好', bytes('c4e3 bac3')],
  ['gb2312', '你好', bytes('c4e3 bac3')],
  ['gb18030', '你好', bytes('c4e3 bac3')],
  ['big5', '你好', bytes('a741 a66e')],
  ['shift_jis', 'こんにちは', bytes('82b1 82f1 82c9 82bf 82cd')],
  ['euc-jp', 'こんにちは', bytes('a4b3 a4f3 a4cb a4c1 a4cf')],
  ['iso-2022-jp', 'こんにちは', bytes('1b2442 2433 2473 244b 2441 244f 1b2842')],
  ['euc-kr', '안녕', bytes('bec8 b3e7')],
  ['windows-1251', 'Привет', bytes('cff0 e8e2 e5f2')],
  ['koi8-r', 'Привет', bytes('f0d2 c9d7 c5d4')],
  ['iso-8859-1', 'café', bytes('6361 66e9')],
  ['windows-1252', '“€”', bytes('9380 94')],
] as const

test.each(words)('%s in the header is read', async (charset, text, body) => {
  expect((await read(`text/plain; charset=${charset}`, body)).text).toBe(text)
  expect(
    (await read(`text/html;CHARSET="${charset.toUpperCase()}"`, Buffer.concat([ascii('<p>'), body]))).text,
  ).toBe(text)
})

test.each(words)('%s in the page itself is read', async (charset, text, body) => {
  const heads = [
    `<html><head><meta charset="${charset}">`,
    `<META CHARSET=${charset}>`,
    `<meta http-equiv="Content-Type" content="text/html; charset=${charset}" />`,
    `<?xml version="1.0" encoding="${charset}"?><html>`,
  ]
  for (const head of heads) {
    expect((await read('text/html', Buffer.concat([ascii(`${head}<p>`), body]))).text, head).toBe(text)
  }
})

test('the header has precedence over the page, and a byte order mark over both', async () => {
  const page = Buffer.concat([ascii('<meta charset=big5><p>'), bytes('c4e3 bac3')])
  expect((await read('text/html; charset=gbk', page)).text).toBe('你好')
  const marked = Buffer.concat([bytes('efbbbf'), Buffer.from('<meta charset=big5><p>你好')])
  expect((await read('text/html; charset=gbk', marked)).text).toBe('你好')
})

test('UTF-16 is read by its mark or its name', async () => {
  const little = Buffer.from('<p>你好', 'utf16le')
  const big = Buffer.from(little).swap16()
  expect((await read('text/html', Buffer.concat([bytes('fffe'), little]))).text).toBe('你好')
  expect((await read('text/html', Buffer.concat([bytes('feff'), big]))).text).toBe('你好')
  expect((await read('text/html; charset=utf-16', little)).text).toBe('你好')
  expect((await read('text/html; charset=utf-16be', big)).text).toBe('你好')
  expect((await read(undefined, Buffer.concat([bytes('fffe'), Buffer.from('x', 'utf16le')]))).text).toBe('x')
})

test('a page that says UTF-16 in ASCII is UTF-8', async () => {
  expect((await read('text/html', Buffer.from('<meta charset=utf-16><p>你好'))).text).toBe('你好')
})

test('without a name it is UTF-8 when it can be, else Windows-1252', async () => {
  expect((await read('text/html', Buffer.from('<p>你好'))).text).toBe('你好')
  expect((await read('text/plain', bytes('6361 66e9'))).text).toBe('café')
  expect((await read('text/plain; charset=x-unknown', Buffer.from('你好'))).text).toBe('你好')
})

test('bytes that an encoding does not know become replacement characters', async () => {
  expect((await read('text/plain; charset=utf-8', bytes('61 ff 62'))).text).toBe('a\ufffdb')
})

test.each([
  ['text/plain', '<b>x</b>'],
  ['text/markdown; charset=utf-8', '# x'],
  ['text/csv', 'a,b'],
  ['text/xml', '<a/>'],
  ['application/json', '{"a": "<b>"}'],
  ['application/ld+json', '{}'],
  ['application/problem+json', '{}'],
  ['application/rss+xml', '<rss/>'],
  ['application/xml', '<a/>'],
])('%s is passed on as it is', async (contentType, body) => {
  const { text, title, contentType: type } = await read(contentType, Buffer.from(body))
  expect({ text, title, type }).toEqual({ text: body, title: '', type: contentType.split(';')[0] })
})

test.each(['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml'])(
  '%s is read as a page',
  async contentType => {
    expect(await read(contentType, Buffer.from('<title>T</title><p>x</p>'))).toMatchObject({
      title: 'T',
      text: 'x',
    })
  },
)

test.each([
  'application/pdf',
  'image/png',
  'image/svg+xml',
  'application/octet-stream',
  'video/mp4',
  'application/zip',
])('%s is refused by its name', async contentType => {
  await expect(read(contentType, Buffer.from('x'))).rejects.toEqual(
    expect.objectContaining({ code: 'unsupported-type', message: expect.stringContaining(contentType) }),
  )
})

test.each([
  [undefined, '<!DOCTYPE html><p>x', 'text/html'],
  ['', '\n<html><p>x', 'text/html'],
  ['nonsense', 'x', 'text/plain'],
  ['<b>/x', '\ufeff<html>x', 'text/html'],
])('the type %j is guessed from the content', async (contentType, body, expected) => {
  expect(await read(contentType, Buffer.from(body))).toMatchObject({ contentType: expected, text: 'x' })
})

test('unnamed binary content is refused', async () => {
  await expect(read(undefined, bytes('89504e47 0d0a1a0a 00'))).rejects.toEqual(
    expect.objectContaining({ code: 'unsupported-type' }),
  )
})

test('characters that nobody sees are left out, and those that writing needs stay', async () => {
  const hidden = [...'ignore'].map(each => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('')
  const text = `a${hidden}\u202eb\u200b\u0007c\u2066 👩\u200d💻 می\u200cخواهم`
  expect((await read('text/plain', Buffer.from(text))).text).toBe('abc 👩\u200d💻 می\u200cخواهم')
  expect((await read('text/html', Buffer.from(`<p>${text}`))).text).toBe('abc 👩\u200d💻 می\u200cخواهم')
})
