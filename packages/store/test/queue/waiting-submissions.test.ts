import { ada, adasChat, at, bobsChat, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import { folderBytes } from '../../src/file-bytes/folder-bytes.ts'
import { createFiles } from '../../src/files/files.ts'
import { createUnsavedFiles } from '../../src/files/unsaved-files.ts'
import type { Store } from '../../src/open/open-store.ts'
import { createWaitingSubmissions, type WaitingSubmission } from '../../src/queue/waiting-submissions.ts'
import { createRuns } from '../../src/runs/create-runs.ts'

const noRemovals = {
  has: () => false,
  waitWhileRemoving: async () => undefined,
  waitUntilRemoved: async () => false,
}

const running = testRun('running')

describe.each(temporaryStores)('on $name', ({ temporaryStore, temporaryDatabase }) => {
  test('submissions wait in the order in which they came, each chat for itself', async () => {
    await using fixture = await busyStore()
    const { waitingSubmissions } = fixture.store
    for (const id of ['second', 'first', 'third']) expect(await add(fixture.store, id)).toBe('added')
    expect((await waitingSubmissions.list(adasChat)).map(({ id }) => id)).toEqual([
      'second',
      'first',
      'third',
    ])
    expect(await waitingSubmissions.first(adasChat)).toEqual(waiting('second'))
    expect(await waitingSubmissions.list(bobsChat)).toEqual([])
    expect(await waitingSubmissions.find(bobsChat, 'second')).toBeUndefined()
    expect(await waitingSubmissions.remove(bobsChat, 'second')).toBe(false)
  })

  test('of many that come at once none is lost, and none has the place of another', async () => {
    await using fixture = await busyStore()
    const ids = Array.from({ length: 5 }, (_, index) => `message-${index}`)
    await Promise.all(ids.map(id => add(fixture.store, id)))
    expect((await fixture.store.waitingSubmissions.list(adasChat)).map(({ id }) => id).toSorted()).toEqual(
      ids.toSorted(),
    )
  })

  test('an id waits once, and the first body stays', async () => {
    await using fixture = await busyStore()
    await add(fixture.store, 'first')
    const again = await fixture.store.waitingSubmissions.add(
      { ...waiting('first'), body: 'other' },
      { max: 5 },
    )
    expect(again).toBe('known')
    expect(await fixture.store.waitingSubmissions.list(adasChat)).toEqual([waiting('first')])
  })

  test('a full line takes no more, and one that was removed makes room', async () => {
    await using fixture = await busyStore()
    const { waitingSubmissions } = fixture.store
    for (const id of ['a', 'b', 'c', 'd', 'e']) await add(fixture.store, id)
    expect(await add(fixture.store, 'f')).toBe('full')
    expect(await waitingSubmissions.remove(adasChat, 'b')).toBe(true)
    expect(await waitingSubmissions.remove(adasChat, 'b')).toBe(false)
    expect(await add(fixture.store, 'f')).toBe('added')
    expect((await waitingSubmissions.list(adasChat)).map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e', 'f'])
  })

  test('a submission that is rewritten keeps its id and its place, and only the body that was read is replaced', async () => {
    await using fixture = await busyStore()
    const { waitingSubmissions } = fixture.store
    for (const id of ['first', 'second', 'third']) await add(fixture.store, id)
    expect(await waitingSubmissions.rewrite(adasChat, waiting('second'), 'new')).toBe(true)
    const line = [waiting('first'), { ...waiting('second'), body: 'new' }, waiting('third')]
    expect(await waitingSubmissions.list(adasChat)).toEqual(line)
    expect(await waitingSubmissions.rewrite(adasChat, waiting('second'), 'newer')).toBe(false)
    expect(await waitingSubmissions.rewrite(bobsChat, waiting('third'), 'new')).toBe(false)
    expect(await waitingSubmissions.rewrite(adasChat, waiting('nobody'), 'new')).toBe(false)
    expect(await waitingSubmissions.list(adasChat)).toEqual(line)
    await waitingSubmissions.remove(adasChat, 'first')
    expect(await waitingSubmissions.rewrite(adasChat, waiting('first'), 'new')).toBe(false)
  })

  test('of a run that begins with a submission and a change of it, one happens', async () => {
    await using fixture = await busyStore()
    const { runs, waitingSubmissions } = fixture.store
    await runs.end(running, endOf(running, [], { seq: 1 }))
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await add(fixture.store, id)
      const run = testRun(`run-${id}`, { userMessageId: id })
      const claim = () => runs.claim(run, { ...startOf(run), turn: { type: 'waited', waiting: waiting(id) } })
      const rewrite = () => waitingSubmissions.rewrite(adasChat, waiting(id), 'new')
      const attempts = id < 'e' ? [claim(), rewrite()] : [rewrite(), claim()]
      expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
      const left = await waitingSubmissions.list(adasChat)
      const active = await runs.active(adasChat)
      expect(left).toEqual(active === undefined ? [{ ...waiting(id), body: 'new' }] : [])
      await waitingSubmissions.removeAll(adasChat)
      if (active !== undefined) await runs.end(active, endOf(active, [], { seq: 1 }))
    }
  })

  test('a submission whose file was not written, or is gone, does not wait until it is written again', async () => {
    await using fixture = await busyStore()
    const { files, waitingSubmissions } = fixture.store
    const file = { id: 'file_1', mediaType: 'image/png', bytes: new Uint8Array([1]), at: at(1) }
    const entry = { max: 5, files: [file] }
    expect(await waitingSubmissions.add(waiting('first'), entry)).toBe('again')
    expect(await waitingSubmissions.list(adasChat)).toEqual([])
    await files.write(adasChat, file)
    expect(await waitingSubmissions.add(waiting('first'), entry)).toBe('added')
    expect((await files.read(adasChat, file.id))?.mediaType).toBe('image/png')
  })

  test('nobody waits in a chat that does not exist, or that is removed', async () => {
    await using fixture = await busyStore()
    await add(fixture.store, 'first')
    await fixture.store.chats.remove(adasChat, at(1))
    expect(await fixture.store.waitingSubmissions.list(adasChat)).toEqual([])
    expect(await add(fixture.store, 'second')).toBe('no-chat')
  })

  test('a run takes its submission out of the line, once, and only when it is the first', async () => {
    await using fixture = await busyStore()
    const { runs, waitingSubmissions } = fixture.store
    for (const id of ['first', 'second']) await add(fixture.store, id)
    const claim = (run: string, id: string) => {
      const claimed = testRun(run, { userMessageId: id })
      return runs.claim(claimed, { ...startOf(claimed), turn: { type: 'waited', waiting: waiting(id) } })
    }
    // The chat is busy, so the submission goes on waiting.
    expect(await claim('a', 'first')).toBe(false)
    expect(await waitingSubmissions.list(adasChat)).toHaveLength(2)
    await runs.end(running, endOf(running, [], { seq: 1 }))
    expect(await claim('b', 'second')).toBe(false)
    const other = testRun('other', { userMessageId: 'first' })
    const turn = { type: 'waited', waiting: { ...waiting('first'), body: 'another one' } } as const
    expect(await runs.claim(other, { ...startOf(other), turn })).toBe(false)
    expect((await Promise.all([claim('c', 'first'), claim('d', 'first')])).filter(Boolean)).toHaveLength(1)
    expect((await waitingSubmissions.list(adasChat)).map(({ id }) => id)).toEqual(['second'])
  })

  test('a run that stands behind others does not begin while somebody waits', async () => {
    await using fixture = await busyStore()
    const { runs, waitingSubmissions } = fixture.store
    await add(fixture.store, 'first')
    await runs.end(running, endOf(running, [], { seq: 1 }))
    const next = testRun('next', { userMessageId: 'next' })
    const start = { ...startOf(next), turn: { type: 'behind-others' } } as const
    expect(await runs.claim(next, start)).toBe(false)
    await waitingSubmissions.removeAll(adasChat)
    expect(await runs.claim(next, start)).toBe(true)
  })

  test('a chat is due when somebody waits in it and no run goes on', async () => {
    await using fixture = await busyStore()
    const { runs, waitingSubmissions } = fixture.store
    expect(await waitingSubmissions.due(10)).toEqual({ chats: [], damaged: [] })
    for (const id of ['first', 'second']) await add(fixture.store, id)
    expect(await waitingSubmissions.due(10)).toEqual({ chats: [], damaged: [] })
    await runs.end(running, endOf(running, [], { seq: 1 }))
    expect(await waitingSubmissions.due(10)).toEqual({ chats: [adasChat], damaged: [] })
  })

  test('a row that names no chat is told apart from the others, and can be removed', async () => {
    await using database = await temporaryDatabase()
    const insert = `insert into chats (owner_id, id, title, created_at, updated_at) values (?, 'chat', '', '', '')`
    await database.sql.write([{ sql: insert, sets: [['not an owner'], [ada]] }])
    const line = `insert into waiting_submissions (owner_id, chat_id, id, idx, body, created_at)
      values (?, 'chat', ?, 1, '{}', ?)`
    const sets = [
      ['not an owner', 'bad', at(0)],
      [ada, 'good', at(1)],
    ]
    await database.sql.write([{ sql: line, sets }])
    const waitingSubmissions = createWaitingSubmissions(database)
    const { chats, damaged } = await waitingSubmissions.due(10)
    expect(chats).toEqual([adasChat])
    expect(damaged).toMatchObject([{ named: { ownerId: 'not an owner', chatId: 'chat', messageId: 'bad' } }])
    for (const row of damaged) await waitingSubmissions.removeDamaged(row)
    expect(await waitingSubmissions.due(10)).toEqual({ chats: [adasChat], damaged: [] })
  })

  test('a damaged run that is to stop does not hide the others', async () => {
    await using database = await temporaryDatabase()
    const runs = createRuns(database, noRemovals)
    const bad = testRun('bad', { chatId: 'other', userMessageId: 'other' })
    for (const run of [bad, running]) {
      await runs.claim(run, startOf(run))
      await runs.requestStop(run, { by: 'user', at: at(1) })
    }
    await database.sql.write([{ sql: `update runs set answer_id = '' where id = 'bad'`, sets: [[]] }])
    expect(await runs.toStop()).toMatchObject([{ id: 'running' }])
  })

  test('those who still wait are found among many, each in its own chat', async () => {
    await using fixture = await busyStore()
    const { waitingSubmissions } = fixture.store
    await add(fixture.store, 'first')
    await add(fixture.store, 'second')
    await waitingSubmissions.remove(adasChat, 'first')
    const [first, second, other] = [
      { ...adasChat, id: 'first' },
      { ...adasChat, id: 'second' },
      { ...bobsChat, id: 'second' },
    ]
    expect(await waitingSubmissions.stillWaiting([first, second, other])).toEqual(new Set([second]))
  })

  test('a submission that interrupts asks for the stop with the same write, and never for that of its own run', async () => {
    await using fixture = await busyStore()
    const { runs, waitingSubmissions } = fixture.store
    const interrupt = { max: 5, interruptAt: at(2) }
    for (const own of [running.userMessageId, running.answerId]) {
      expect(await waitingSubmissions.add(waiting(own), interrupt)).toBe('added')
      expect(await runs.toStop()).toEqual([])
    }
    expect(await waitingSubmissions.add(waiting('next'), interrupt)).toBe('added')
    expect(await runs.toStop()).toMatchObject([{ id: 'running', stopRequestedBy: 'message' }])
  })

  test('the files of a submission that is removed go too, except those that something else uses', async () => {
    await using database = await temporaryDatabase()
    await createRuns(database, noRemovals).claim(running, startOf(running))
    await using folder = await temporaryFolder()
    const bytes = folderBytes(`${folder.path}/files`)
    const unsaved = createUnsavedFiles(database, { bytes })
    const files = createFiles(database, { bytes, unsaved })
    const waitingSubmissions = createWaitingSubmissions(database)
    const ids = ['file_1', 'file_2', 'file_3', 'file_4']
    const brought = ids.map(id => ({ id, mediaType: 'image/png', bytes: new Uint8Array([1]), at: at(1) }))
    for (const file of brought) await files.write(adasChat, file)
    await waitingSubmissions.add({ ...waiting('first'), body: ids.join() }, { max: 5, files: brought })
    await waitingSubmissions.add({ ...waiting('second'), body: '/files/file_2' }, { max: 5 })
    const part = `insert into parts (owner_id, chat_id, message_id, idx, body)
      values ('ada', 'chat', ?, 9, '{"url":"/api/chats/chat/files/file_3"}')`
    await database.sql.write([{ sql: part, sets: [[running.userMessageId]] }])
    // Somebody brings this one once more, and has not saved it yet.
    await files.write(adasChat, {
      ...brought[3],
      id: 'file_4',
      mediaType: '',
      bytes: new Uint8Array([1]),
      at: at(1),
    })
    expect(await waitingSubmissions.remove(adasChat, 'first', ids)).toBe(true)
    expect(await waitingSubmissions.remove(adasChat, 'first', ids)).toBe(false)
    await unsaved.sweep()
    const isThere = async (id: string) => [
      (await files.find(adasChat, id)) !== undefined,
      (await bytes.read(adasChat, id)) !== undefined,
    ]
    expect(await Promise.all(ids.map(isThere))).toEqual([
      [false, false],
      [true, true],
      [true, true],
      [true, true],
    ])
  })

  test('a stop is asked for once, is known until the run ends, and is never asked of an ended run', async () => {
    await using fixture = await busyStore()
    const { runs } = fixture.store
    expect(await runs.toStop()).toEqual([])
    expect(await runs.requestStop(running, { by: 'user', at: at(1) })).toBe(true)
    expect(await runs.requestStop(running, { by: 'message', at: at(2) })).toBe(false)
    expect(await runs.toStop()).toMatchObject([{ id: 'running', stopRequestedBy: 'user' }])
    expect(await runs.unfinished()).toMatchObject([{ id: 'running', stopRequestedBy: 'user' }])
    await runs.end(running, endOf(running, [], { seq: 1 }))
    expect(await runs.toStop()).toEqual([])
    expect(await runs.requestStop(running, { by: 'user', at: at(3) })).toBe(false)
  })

  test('an answer has one text of a person, which is kept until it is removed', async () => {
    await using fixture = await busyStore()
    const { operatorReplies } = fixture.store
    const reply = { answerId: 'answer', text: 'Hello.', at: at(1) }
    expect(await operatorReplies.add(adasChat, reply)).toBe(true)
    expect(await operatorReplies.add(adasChat, { ...reply, text: 'Second.' })).toBe(false)
    expect(await operatorReplies.find(adasChat, 'answer')).toEqual({ text: 'Hello.', isSaid: false })
    expect(await operatorReplies.find({ ...adasChat, ownerId: bobsChat.ownerId }, 'answer')).toBeUndefined()
    expect(await operatorReplies.remove(adasChat, 'answer')).toBe(true)
    expect(await operatorReplies.find(adasChat, 'answer')).toBeUndefined()
    expect(await operatorReplies.take(adasChat, 'answer')).toBe(false)
  })

  test('a text that is being said, or was said, is not removed', async () => {
    await using fixture = await busyStore()
    const { operatorReplies } = fixture.store
    await operatorReplies.add(adasChat, { answerId: 'answer', text: 'Hello.', at: at(1) })
    expect(await operatorReplies.take(adasChat, 'answer')).toBe(true)
    expect(await operatorReplies.remove(adasChat, 'answer')).toBe(false)
    expect(await operatorReplies.find(adasChat, 'answer')).toEqual({ text: 'Hello.', isSaid: false })
    await operatorReplies.markSaid(adasChat, 'answer')
    expect(await operatorReplies.remove(adasChat, 'answer')).toBe(false)
    expect(await operatorReplies.take(adasChat, 'answer')).toBe(false)
    expect(await operatorReplies.find(adasChat, 'answer')).toEqual({ text: 'Hello.', isSaid: true })
    const [known, other] = [
      { ...adasChat, answerId: 'answer' },
      { ...bobsChat, answerId: 'answer' },
    ]
    expect(await operatorReplies.findAll([known, other])).toEqual(
      new Map([[known, { text: 'Hello.', isSaid: true }]]),
    )
  })

  async function busyStore() {
    const fixture = await temporaryStore()
    await fixture.store.runs.claim(running, startOf(running))
    return fixture
  }
})

function waiting(id: string): WaitingSubmission {
  return { ...adasChat, ownerId: ada, id, body: `{"id":"${id}"}`, createdAt: at(1) }
}

function add(store: Store, id: string) {
  return store.waitingSubmissions.add(waiting(id), { max: 5 })
}
