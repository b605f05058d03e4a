import { ada, adasChat, at, bobsChat, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../src/open-store.ts'
import type { WaitingSubmission } from '../src/waiting-submissions.ts'

const running = testRun('running')

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
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
    expect(await waitingSubmissions.due(10)).toEqual([])
    for (const id of ['first', 'second']) await add(fixture.store, id)
    expect(await waitingSubmissions.due(10)).toEqual([])
    await runs.end(running, endOf(running, [], { seq: 1 }))
    expect(await waitingSubmissions.due(10)).toEqual([adasChat])
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
    await operatorReplies.markSaid(adasChat, 'answer')
    expect(await operatorReplies.find(adasChat, 'answer')).toEqual({ text: 'Hello.', isSaid: true })
    await operatorReplies.remove(adasChat, 'answer')
    expect(await operatorReplies.find(adasChat, 'answer')).toBeUndefined()
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
