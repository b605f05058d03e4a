import { describe, expect, test } from 'vitest'
import { startRecordedProvider } from '../../src/provider/recorded-provider.ts'

describe('startRecordedProvider', () => {
  test('a request beyond the script gets a 500 that says so', async () => {
    await using provider = await startRecordedProvider([])
    const response = await fetch(provider.url, { method: 'POST', body: '{}' })

    expect(response.status).toBe(500)
    expect(await response.text()).toContain('Request 1 has no recorded response: the script has 0.')
  })

  test('only a POST with JSON counts as a request', async () => {
    await using provider = await startRecordedProvider([{ type: 'status', status: 200, body: 'first' }])

    expect((await fetch(provider.url)).status).toBe(405)
    expect((await fetch(provider.url, { method: 'POST', body: '{' })).status).toBe(400)
    expect(await (await fetch(`${provider.url}/any/path`, { method: 'POST', body: '{"a":1}' })).text()).toBe(
      'first',
    )
    expect(provider.requests).toEqual([{ a: 1 }])
  })

  test('with chunkBytes the client reads events in small pieces, not all at once', async () => {
    await using provider = await startRecordedProvider([
      { type: 'recording', name: 'anthropic.text-tool-text.1', style: 'anthropic', chunkBytes: 5 },
    ])
    const { body } = await fetch(provider.url, { method: 'POST', body: '{}' })
    const pieces: Uint8Array[] = []
    for await (const piece of body ?? []) pieces.push(piece)
    const bytes = Buffer.concat(pieces)

    expect(bytes.toString()).toMatch(/^event: message_start\ndata: \{"type":"message_start"/)
    // The operating system may join two pieces, so this does not ask for exactly 5 bytes each.
    expect(pieces.length).toBeGreaterThan(bytes.length / 10)
  })

  test('the openai style ends with [DONE], the others with their last event', async () => {
    await using provider = await startRecordedProvider([
      { type: 'recording', name: 'openai-chat.text-tool-text.2', style: 'openai' },
      { type: 'recording', name: 'anthropic.thinking.1', style: 'anthropic' },
      { type: 'recording', name: 'google.text-tool-text.2', style: 'google' },
    ])
    const read = async () => (await fetch(provider.url, { method: 'POST', body: '{}' })).text()

    expect(await read()).toMatch(/\}\n\ndata: \[DONE\]\n\n$/)
    expect(await read()).toMatch(/\n\nevent: message_stop\ndata: \{"type":"message_stop"\}\n\n$/)
    expect(await read()).toMatch(/"responseId":"resp-bridge-02"\}\n\n$/)
  })

  test('a client that leaves in the middle of a response does not disturb the next one', async () => {
    await using provider = await startRecordedProvider([
      { type: 'recording', name: 'anthropic.thinking.1', style: 'anthropic', chunkBytes: 1 },
      { type: 'silence', name: 'anthropic.thinking.1', style: 'anthropic', afterEvents: 2 },
      { type: 'status', status: 200, body: 'still here' },
    ])
    for (const _ of ['in a recording', 'in a silence']) {
      const { body } = await fetch(provider.url, { method: 'POST', body: '{}' })
      for await (const _piece of body ?? []) break
    }
    const response = await fetch(provider.url, { method: 'POST', body: '{}' })

    expect(await response.text()).toBe('still here')
  })

  test('an unknown recording, a break after its end and empty pieces are refused at the start', async () => {
    await expect(
      startRecordedProvider([{ type: 'recording', name: 'no-such', style: 'openai' }]),
    ).rejects.toThrow('no-such.jsonl')
    await expect(
      startRecordedProvider([
        { type: 'cut', name: 'anthropic.thinking.1', style: 'anthropic', afterEvents: 99 },
      ]),
    ).rejects.toThrow('has 24 events')
    await expect(
      startRecordedProvider([
        { type: 'recording', name: 'anthropic.thinking.1', style: 'anthropic', chunkBytes: 0 },
      ]),
    ).rejects.toThrow('chunkBytes must be 1 or more')
  })
})
