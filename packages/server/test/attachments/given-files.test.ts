import { modelAgent } from '@throughline/agents'
import { FileBytesError } from '@throughline/store'
import { saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { loadAnswer, sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const megabyte = 1024 * 1024

async function startModel(options: Pick<TestServerOptions, 'wrapStore'> = {}) {
  const model = scriptedModel({ assistant: [[saying('I see.')]] })
  const agent = modelAgent({ name: 'assistant', instructions: 'You are assistant.', model })
  const server = await startTestServer({ ...options, agents: [agent] })
  return {
    ...server,
    send: async (message: unknown) => {
      await (await sendJson(`${server.url}/api/chat`, { id: 'chat', message })).text()
      expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
    },
    /** What the model was given as the messages of the user, in its last call. */
    given: () =>
      (model.doStreamCalls.at(-1)?.prompt ?? []).flatMap(({ role, content }) =>
        role === 'user' ? [...content] : [],
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a model is given the bytes of pictures and PDFs, and the text of text files', async () => {
  await using server = await startModel()
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj')
  const files = [
    picturePart,
    fileOf('application/pdf', pdf, 'plan.pdf'),
    fileOf('text/csv', 'a,b\n1,2', 'table.csv'),
  ]
  await server.send(messageWith([...files, { type: 'text', text: '' }], 'What are these?'))
  const given = server.given()
  expect(given).toMatchObject([
    { type: 'file', mediaType: 'image/png', filename: 'red.png' },
    { type: 'file', mediaType: 'application/pdf', filename: 'plan.pdf' },
    { type: 'text', text: 'The file "table.csv" (text/csv):\n\na,b\n1,2' },
    { type: 'text', text: 'What are these?' },
  ])
  expect(given.map(part => (part.type === 'file' ? bytesIn(part.data) : undefined))).toEqual([
    Buffer.from(pictureBytes),
    pdf,
    undefined,
    undefined,
  ])
  expect(JSON.stringify(given)).not.toContain('/api/')
})

test('a model is told which files cannot be reached right now, and the answer comes', async () => {
  const away = new FileBytesError('unreachable', 'The bucket does not respond.')
  await using server = await startModel({
    wrapStore: store => ({ ...store, files: { ...store.files, read: () => Promise.reject(away) } }),
  })
  await server.send(messageWith([picturePart], 'What is it?'))
  expect(server.given()).toMatchObject([
    { type: 'text', text: '[The file "red.png" cannot be read right now. Tell the person so.]' },
    { type: 'text', text: 'What is it?' },
  ])
})

test('a model is given the files of earlier messages too, the newest first up to 20 MB', async () => {
  await using server = await startModel()
  const sizes = [9, 9, 5]
  for (const [index, size] of sizes.entries()) {
    const bytes = Buffer.concat([pictureBytes, Buffer.alloc(size * megabyte, index)])
    await server.send(messageWith([fileOf('image/png', bytes, `${index}.png`)], 'Look.', `m${index}`))
  }
  const notes = server.given().map(part => (part.type === 'file' ? part.filename : part))
  expect(notes.filter(note => typeof note === 'string')).toEqual(['1.png', '2.png'])
  expect(notes[0]).toMatchObject({ text: '[The file "0.png" was sent earlier and is not repeated here.]' })
})

/** Returns the bytes of a file as the model is given it. */
function bytesIn(data: unknown): Buffer {
  const given: unknown = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  if (given instanceof Uint8Array) return Buffer.from(given)
  return Buffer.from(String(given), 'base64')
}
