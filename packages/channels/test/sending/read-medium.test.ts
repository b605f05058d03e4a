import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { mediaReader, messageOfPost } from '../../src/sending/read-medium.ts'

const png = { mediaType: 'image/png', bytes: Buffer.from('a picture') }

function reader() {
  const asked: string[] = []
  const readMedium = mediaReader(async fileId => {
    asked.push(fileId)
    return fileId === 'file_1' ? png : undefined
  })
  return { asked, readMedium }
}

describe('a medium', () => {
  test('of the chat is read by its id alone: the chat in the address decides nothing', async () => {
    const { asked, readMedium } = reader()
    expect(await readMedium('/api/chats/telegram%3A5/files/file_1')).toEqual({
      ...png,
      fileName: 'file_1.png',
    })
    expect(await readMedium('/api/chats/another/files/file_2')).toBeUndefined()
    expect(asked).toEqual(['file_1', 'file_2'])
  })

  test.each([
    ['data:image/png;base64,aGVsbG8=', 'image/png', 'hello', 'file.png'],
    ['data:image/png;base64,aGVs\nbG8=', 'image/png', 'hello', 'file.png'],
    ['DATA:image/PNG;BASE64,aGVsbG8=', 'image/png', 'hello', 'file.png'],
    ['data:audio/pcm;rate=24000;base64,aGVsbG8%3D', 'audio/pcm', 'hello', 'file.bin'],
    ['data:image/svg+xml,%3Csvg/%3E', 'image/svg+xml', '<svg/>', 'file.bin'],
    ['data:,hello', 'text/plain', 'hello', 'file.bin'],
    ['data:text/plain,100%', 'text/plain', '100%', 'file.bin'],
  ])('can stand in its address: %s', async (address, mediaType, text, fileName) => {
    const medium = await reader().readMedium(address)
    expect(medium).toMatchObject({ mediaType, fileName })
    expect(Buffer.from(medium?.bytes ?? []).toString()).toBe(text)
  })
})

describe('an address that is not ours', () => {
  const fetch = vi.fn()
  beforeEach(() => vi.stubGlobal('fetch', fetch))
  afterEach(() => vi.unstubAllGlobals())

  test.each([
    'https://example.com/picture.png',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:4000/api/chats/c/files/file_1',
    '//example.com/api/chats/c/files/file_1',
    'file:///etc/passwd',
    '/api/chats/c/files/file_1/../file_2',
    '/api/chats/c/files/',
    '/etc/passwd',
    'blob:x',
    'javascript:alert(1)',
    'data:image/png;base64',
    '',
  ])('is never fetched: %s', async address => {
    const { asked, readMedium } = reader()
    expect(await readMedium(address)).toBeUndefined()
    expect(asked).toEqual([])
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('what is shown', () => {
  const readMedium = reader().readMedium

  test('is the text, and whom it answers', async () => {
    expect(await messageOfPost({ text: 'One.', replyTo: 'm1' }, readMedium)).toEqual({
      text: 'One.',
      replyTo: 'm1',
    })
  })

  test('is the medium with its text', async () => {
    const payload = { text: 'A caption.', media: ['/api/chats/c/files/file_1'] }
    expect(await messageOfPost(payload, readMedium)).toEqual({
      text: 'A caption.',
      replyTo: undefined,
      medium: { ...png, fileName: 'file_1.png' },
    })
  })

  test('is the address, when people can open it and we cannot', async () => {
    const payload = { text: 'See:', media: ['https://example.com/a.png'] }
    expect(await messageOfPost(payload, readMedium)).toMatchObject({
      text: 'See:\nhttps://example.com/a.png',
    })
  })

  test.each([
    '/api/chats/c/files/gone',
    'data:image/png;base64',
    `https://example.com/${'x'.repeat(5_000)}`,
    'javascript:alert(1)',
    'https://example.com/a b',
  ])('is no address that is of use to nobody: %s', async address => {
    expect(await messageOfPost({ media: [address] }, readMedium)).toMatchObject({
      text: '(a file that cannot be shown)',
    })
  })
})
