import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer, loadChat, problemOf, stop, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { loggedLines } from '@throughline/testing/server/logged-lines'
import { leaveRuns } from '@throughline/testing/store/left-runs'
import { type LimitedStore, limitedStore } from '@throughline/testing/store/limited-store'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

// The saved answer needs new pages of the file, so on a full disk it cannot be saved.
const long = 'A long story. '.repeat(5_000)

test('on a full disk a stop aborts the run at once and says that its end is not saved yet; with room it is saved', async () => {
  await using world = await startOnDisk()
  await using stream = new SseBytes(await ask(world.url))
  await stream.until('"type":"text-delta"')
  await stream.until('told.')
  await world.disk.fill()

  // The end cannot be saved, so only the limit of 1.5 seconds lets this return.
  const stopped = await stop(world.url)
  expect(stopped.status).toBe(202)
  expect(await stopped.json()).toEqual({ result: 'stopping' })
  expect(world.aborted).toMatchObject({ status: 'stopped' })
  // The same again, as often as somebody asks.
  expect(await (await stop(world.url)).json()).toEqual({ result: 'stopping' })

  // Whoever asks is told what is wrong, without a path.
  const health = await problemOf(await fetch(`${world.url}/health`))
  expect(health).toMatchObject({ status: 503, code: 'store-full', detail: expect.stringContaining('disk') })
  const refusals = await Promise.all([
    submit(world.url, { messageId: 'next' }),
    submit(world.url, { chatId: 'other', messageId: 'first' }),
    ask(world.url, { messageId: 'third' }),
    fetch(`${world.url}/api/chats/chat`, { method: 'DELETE' }),
  ])
  for (const refusal of refusals) {
    expect(refusal.headers.get('retry-after')).toBe('5')
    const problem = await problemOf(refusal)
    expect(problem).toMatchObject({ status: 503, code: 'store-full' })
    expect(JSON.stringify(problem)).not.toContain(world.disk.folder)
  }
  expect(world.lines.filter(({ msg }) => String(msg).includes('Make room'))).toHaveLength(1)

  await world.disk.makeRoom()
  while ((await world.disk.store.runs.unfinished()).length > 0) await (await stop(world.url)).text()
  expect((await loadAnswer(world.url)).metadata).toMatchObject({
    status: 'stopped',
    statusText: 'Stopped by the user.',
  })
  expect(JSON.stringify(await loadAnswer(world.url))).toContain('told.')
  expect(await (await stop(world.url)).json()).toEqual({ result: 'already-ended' })
  await untilHealthy(world.url)
  expect((await submit(world.url, { chatId: 'other', messageId: 'first' })).status).toBe(202)
})

test('a run that the full disk cuts off ends by itself when there is room, and nothing unsaved was shown', async () => {
  await using world = await startOnDisk()
  await using stream = new SseBytes(await ask(world.url))
  await stream.until('told.')
  await world.disk.fill()
  world.goOn()
  while (world.aborted === undefined) await problemOrOk(`${world.url}/health`)
  await world.disk.makeRoom()
  const shown = (await stream.rest()).toString()
  expect(shown).not.toContain('More.')
  expect(shown).toContain('The server could not save the answer.')
  while ((await world.disk.store.runs.unfinished()).length > 0);
  expect((await loadAnswer(world.url)).metadata).toMatchObject({ status: 'interrupted' })
  await untilHealthy(world.url)
  expect(await (await ask(world.url, { messageId: 'next' })).text()).toContain('told.')
})

test('a disk that became read-only is named, and works again when it can be written', async () => {
  await using world = await startOnDisk()
  await world.disk.lock()
  const first = await problemOf(await submit(world.url))
  expect(first).toMatchObject({ status: 503, code: 'store-unwritable' })
  expect(await problemOf(await fetch(`${world.url}/health`))).toMatchObject({ code: 'store-unwritable' })
  await world.disk.makeRoom()
  await untilHealthy(world.url)
  expect((await submit(world.url)).status).toBe(202)
  expect(world.lines.at(-1)).toMatchObject({ msg: 'the store can be written again' })
})

test('a server that starts on a full disk ends the runs that were left when there is room', async () => {
  await using folder = await temporaryFolder()
  await leaveRuns(folder.path, ['left'])
  await using disk = await limitedStore(folder.path)
  await disk.lock()
  const { logger, lines } = loggedLines()
  const server = await startServer({ store: disk.store, agents: [storyteller().agent], logger, port: 0 })
  expect((await loadChat(server.url, 'left')).messages).toHaveLength(2)
  expect(await problemOf(await submit(server.url, { chatId: 'left' }))).toMatchObject({
    code: 'store-unwritable',
  })
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a run could not be ended yet' }))
  await disk.makeRoom()
  while ((await disk.store.runs.unfinished()).length > 0);
  expect((await loadAnswer(server.url, 'left')).metadata).toMatchObject({
    status: 'interrupted',
    statusText: 'The server was restarted.',
  })
  await server.close()
})

function storyteller() {
  const held = Promise.withResolvers<void>()
  const state: { aborted: unknown } = { aborted: undefined }
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    signal.addEventListener('abort', () => {
      state.aborted = signal.reason
    })
    yield say(`${long}told.`)
    await held.promise
    yield say(`More. ${long}`)
    yield finish
  })
  return { agent, state, goOn: held.resolve }
}

async function startOnDisk() {
  const disk: LimitedStore = await limitedStore()
  const { logger, lines } = loggedLines()
  const { agent, state, goOn } = storyteller()
  const server = await startServer({ store: disk.store, agents: [agent], logger, port: 0 })
  return {
    url: server.url,
    disk,
    lines,
    goOn,
    get aborted() {
      return state.aborted
    },
    async [Symbol.asyncDispose]() {
      goOn()
      await disk.makeRoom()
      await server.close()
      await disk[Symbol.asyncDispose]()
    },
  }
}

async function problemOrOk(url: string): Promise<void> {
  await (await fetch(url)).text()
}

async function untilHealthy(url: string): Promise<void> {
  while ((await fetch(`${url}/health`)).status !== 200);
}
