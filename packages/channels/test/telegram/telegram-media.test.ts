import { describe, expect, test } from 'vitest'
import { channelError, send, startHarness } from './telegram-harness.ts'

// Contains what looks like the end of a part, or of a header.
const bytes = new Uint8Array([0, 13, 10, 45, 45, 255, ...Buffer.from('\r\n\r\n--x'), 1])
const picture = { bytes, mediaType: 'image/png', fileName: 'screen shot.png' }

describe('a medium to Telegram', () => {
  test('is a photo with a caption in Markdown, byte for byte', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const asked = server.write('show me')
    const receipt = await send(channel, 'The **page**.', { medium: picture, replyTo: `501_${asked}` })
    const [message] = server.messages
    expect(message).toMatchObject({
      messageId: Number(receipt),
      text: 'The page.',
      entities: [{ type: 'bold' }],
      replyTo: asked,
      medium: { kind: 'photo', name: 'screen shot.png' },
    })
    expect(new Uint8Array(message?.medium?.bytes ?? [])).toEqual(bytes)
  })

  test('needs no caption', async () => {
    await using harness = await startHarness()
    await send(harness.channel, '', { medium: picture })
    expect(harness.server.messages).toMatchObject([{ text: '', medium: { kind: 'photo' } }])
  })

  test.each(['image/gif', 'image/svg+xml', 'application/pdf', 'text/plain'])(
    'is a document when it is %s',
    async mediaType => {
      await using harness = await startHarness()
      await send(harness.channel, 'A file.', { medium: { ...picture, mediaType } })
      expect(harness.server.messages).toMatchObject([{ text: 'A file.', medium: { kind: 'document' } }])
    },
  )

  test.each(['Bad Request: PHOTO_INVALID_DIMENSIONS', 'Bad Request: IMAGE_PROCESS_FAILED'])(
    'that is no photo for Telegram (%s) is a document',
    async description => {
      await using harness = await startHarness()
      harness.server.fail('sendPhoto', { type: 'error', status: 400, description })
      await send(harness.channel, 'A long page.', { medium: picture })
      expect(harness.server.messages).toMatchObject([{ text: 'A long page.', medium: { kind: 'document' } }])
    },
  )

  test('is followed by a text that is too long for a caption', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const text = 'x'.repeat(1_025)
    const receipt = await send(channel, text, { medium: picture })
    expect(server.messages).toMatchObject([
      { text: '', medium: { kind: 'photo' } },
      { text, medium: undefined, messageId: Number(receipt) },
    ])
  })

  test('is not sent again when only the text after it has failed', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const text = 'x'.repeat(1_025)
    server.fail('sendMessage', { type: 'garbage', status: 502, body: 'Bad Gateway' })
    await channelError(send(channel, text, { medium: picture }), server)
    await send(channel, text, { medium: picture })
    expect(server.messages).toMatchObject([{ medium: { kind: 'photo' } }, { text }])
  })

  test('with a caption that Telegram cannot read has it as it was written', async () => {
    await using harness = await startHarness()
    harness.server.fail('sendPhoto', {
      type: 'error',
      status: 400,
      description: "Bad Request: can't parse entities: x",
    })
    await send(harness.channel, '**x**', { medium: picture })
    expect(harness.server.messages).toMatchObject([{ text: '**x**', parseMode: undefined }])
  })

  test.each([
    ['a"; filename=b\r\nx: y.png', 'a__ filename_b__x_ y.png'],
    ['página 1.png', 'página 1.png'],
    ['', 'file'],
  ])('named %j cannot change the request', async (fileName, name) => {
    await using harness = await startHarness()
    await send(harness.channel, '', { medium: { ...picture, fileName } })
    expect(harness.server.messages).toMatchObject([{ medium: { name } }])
  })

  test('that is larger than Telegram takes is refused without a call', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const medium = { ...picture, bytes: new Uint8Array(50_000_001) }
    const error = await channelError(send(channel, '', { medium }), server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('50000000') })
    expect(server.calls).toEqual([])
  })

  test('that is larger than a photo may be is a document', async () => {
    await using harness = await startHarness()
    await send(harness.channel, '', { medium: { ...picture, bytes: new Uint8Array(10_000_001) } })
    expect(harness.server.messages).toMatchObject([{ medium: { kind: 'document' } }])
  })
})
