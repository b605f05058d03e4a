import type { Entry } from '@throughline/protocol'
import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { describe, expect, test } from 'vitest'
import type { DeliveryOptions } from '../../src/delivery/delivery.ts'
import { postBody } from '../../src/sending/run-outbox.ts'
import { FakeClock } from '../fake-clock.ts'
import { deliverOnce, deliverUntilDone, type World } from './deliver-until-done.ts'
import { FakeChannel, type Treatment } from './fake-channel.ts'
import { MemoryOutbox } from './memory-outbox.ts'
import { type Fault, Mortal } from './mortal.ts'
import { type Act, endOf, LogOfRun, reason, runLog, textChunks } from './run-log.ts'

interface WorldOptions extends Partial<Pick<World, 'reading'>> {
  readonly options?: DeliveryOptions
  readonly treatments?: readonly Treatment[]
  readonly maxChars?: number
  readonly isRefused?: (key: string) => boolean
}

function worldOf(log: readonly Entry[], { options = {}, reading, ...channel }: WorldOptions = {}): World {
  return {
    log,
    outbox: new MemoryOutbox(),
    channel: new FakeChannel(channel),
    options,
    ...(reading && { reading }),
  }
}

function text(...pieces: readonly string[]): Act {
  return { type: 'text', pieces }
}

const tool: Act = { type: 'tool', toolCallId: 'call-1' }
const small: DeliveryOptions = { minChars: 20, maxChars: 60, preference: 'sentence' }
const sentences = ['The first sentence of it. ', 'The second sentence of it. ', 'The third sentence of it.']

function begin(world: World, { process = new Mortal(), clock = new FakeClock() } = {}) {
  const closing = new AbortController()
  const delivered = deliverOnce(world, process, { clock, signal: closing.signal })
  delivered.catch(() => undefined)
  return { clock, closing, delivered }
}

describe('an answer', () => {
  test('goes out block by block while it is being written, the first as an answer to its message', async () => {
    const reading = [{ entries: 1, afterMs: 5_000 }]
    const world = worldOf(runLog([text(...sentences)]), { options: small, reading })
    const { clock, delivered } = begin(world)
    await clock.advance(26_000)
    expect(world.channel.texts()).toEqual(['The first sentence of it.'])
    await clock.advance(60_000)
    await delivered
    expect(world.channel.shown.map(({ message }) => [message.text, message.replyTo])).toEqual([
      ['The first sentence of it.', 'm1'],
      ['The second sentence of it.', undefined],
      ['The third sentence of it.', undefined],
    ])
    expect(world.outbox.advances).toEqual([world.log.length])
  })

  test('without a word is delivered all the same', async () => {
    const world = worldOf(runLog([tool]))
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual([])
    expect(world.outbox.advances).toEqual([world.log.length])
  })

  test('that repeats itself is shown as often as it says it', async () => {
    const world = worldOf(runLog([text('Yes, certainly. Yes, certainly. ', 'Yes, certainly.')]), {
      options: { ...small, minChars: 10 },
    })
    await deliverUntilDone(world)
    expect(world.channel.texts().join(' ')).toBe('Yes, certainly. Yes, certainly. Yes, certainly.')
  })

  test('that cannot end in the blocks it was cut into has no block of its own for the end of a fence', async () => {
    const code = `\`\`\`\n${'code'.repeat(25)}\n`
    const world = worldOf(runLog([text(code, '```\n'), tool, text('After.')]), { options: small })
    await deliverUntilDone(world)
    expect(world.channel.texts().at(-1)).toBe('After.')
    expect(world.channel.texts().join('')).toHaveLength('After.'.length + 100 + 2 * '```\n\n```'.length)
  })

  test('of sub-agents is theirs alone, unless it is asked for', async () => {
    const log = new LogOfRun()
      .add('answer', { type: 'start', messageId: 'answer' }, ...textChunks('t', ['I ask.']))
      .add(
        'sub-agent',
        { type: 'start', messageId: 'sub-agent' },
        ...textChunks('t', ['I look.']),
        ...endOf('finished'),
      )
      .add('answer', ...textChunks('u', ['Clear.']), ...endOf('finished'))
    const alone = worldOf(log.entries)
    await deliverUntilDone(alone)
    expect(alone.channel.texts()).toEqual(['I ask.\n\nClear.'])
    const together = worldOf(log.entries, { options: { isWithSubAgents: true } })
    await deliverUntilDone(together)
    expect(together.channel.texts()).toEqual(['I ask.\n\nI look.\n\nClear.'])
  })

  test('waits between its messages as a person would, when it is told to', async () => {
    const options = { ...small, pauseMs: (said: string) => said.length * 100 }
    const world = worldOf(runLog([text(...sentences)]), { options })
    const { clock, delivered } = begin(world)
    await clock.advance(2_000)
    expect(world.channel.texts()).toHaveLength(1)
    await clock.advance(1_000)
    expect(world.channel.texts()).toHaveLength(2)
    await clock.advance(60_000)
    await delivered
    expect(world.channel.texts()).toHaveLength(3)
  })
})

describe('tools', () => {
  test('come after the text before them, and are shown when that is asked for', async () => {
    const world = worldOf(runLog([text('Let me look.'), tool, text('It is noon.')]), {
      options: { isWithTools: true },
    })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['Let me look.', '🔧 clock', 'It is noon.'])
  })

  test('R80: have the text that waits sent when they start, however long it would have waited', async () => {
    const log = runLog([text('Let me look.'), tool]).slice(0, -2)
    const world = worldOf(log, { options: { idleMs: 600_000, minChars: 500 } })
    const { clock, delivered } = begin(world)
    await clock.advance(1)
    await delivered
    expect(world.channel.texts()).toEqual(['Let me look.'])
  })

  test('R81: have the channel show at once that something is going on', async () => {
    for (const [acts, count] of [
      [[text('Let me look.')], 1],
      [[text('Let me look.'), tool], 2],
    ] as const) {
      const world = worldOf(runLog(acts).slice(0, -1))
      const { clock, delivered } = begin(world)
      await clock.advance(1)
      await delivered
      expect(world.channel.typings).toHaveLength(count)
    }
  })

  test('R61: are told to the observers when they start, after the text before them', async () => {
    const told: unknown[] = []
    const onEvent = (event: unknown) => told.push([event, world.channel.texts()])
    const world: World = worldOf(runLog([text('Let me look.'), tool, text('It is noon.')]), {
      options: { onEvent },
    })
    await deliverUntilDone(world)
    const data = { phase: 'start', name: 'clock', toolCallId: 'call-1', args: {} }
    expect(told).toEqual([[{ runId: 'run', stream: 'tool', data }, ['Let me look.']]])
  })

  test('R54: do not wait for observers, and what these throw disturbs nothing', async () => {
    for (const onEvent of [
      () => new Promise(() => {}),
      () => {
        throw new Error('broken')
      },
    ]) {
      const world = worldOf(runLog([text('Let me look.'), tool, text('It is noon.')]), {
        options: { onEvent },
      })
      await deliverUntilDone(world)
      expect(world.channel.texts()).toEqual(['Let me look.', 'It is noon.'])
    }
  })

  test('whose ids are numbers take no block’s place', async () => {
    const world = worldOf(runLog([{ type: 'tool', toolCallId: '0' }, text('It is noon.')]), {
      options: { isWithTools: true },
    })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['🔧 clock', 'It is noon.'])
  })

  test('that were shown by an earlier process, and what came after them, are not shown again', async () => {
    const log = runLog([tool, text('It is noon.'), { type: 'tool', toolCallId: 'call-2' }, text('Bye.')])
    const world = worldOf(log, { options: { isWithTools: true } })
    const index = world.outbox.items.length
    const body = postBody({ text: 'It is noon.' })
    world.outbox.items.push({ runId: 'run', index, body, status: 'sent', receipt: 'r' })
    const told: unknown[] = []
    const onEvent = (event: unknown) => void told.push(event)
    await deliverUntilDone({ ...world, options: { ...world.options, onEvent } })
    expect(world.channel.texts()).toEqual(['🔧 clock', 'Bye.'])
    expect(told).toHaveLength(1)
  })
})

describe('files', () => {
  const file: Act = { type: 'file', url: 'https://example.com/a.png' }

  test('stand where they came, also when the channel fails before them', async () => {
    for (const treatments of [[], ['unavailable'], ['deaf'], ['lost', 'unavailable']] as const) {
      const world = worldOf(runLog([text('Before.'), file, text('After.')]), { treatments })
      await deliverUntilDone(world)
      expect(world.channel.texts()).toEqual(['Before.', 'https://example.com/a.png', 'After.'])
    }
  })

  test.each(['blocks', 'edit'] as const)('that come twice are shown once (%s)', async streaming => {
    const world = worldOf(runLog([text('Before.'), file, file, text('After.'), file]), {
      options: { streaming },
      treatments: ['unavailable'],
    })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['Before.', 'https://example.com/a.png', 'After.'])
  })
})

describe('an end', () => {
  test.each(['failed', 'interrupted', 'limit'] as const)(
    'that is %s is told, after the text',
    async status => {
      const world = worldOf(runLog([text('It is')], status))
      await deliverUntilDone(world)
      expect(world.channel.texts()).toEqual(['It is', `⚠️ ${reason}`])
    },
  )

  test('of an answer without a word is told in words, once', async () => {
    const statusText = 'The agent ended without saying anything.'
    const messageMetadata = { status: 'finished', isEmpty: true, statusText } as const
    const silent = runLog([tool]).map(entry =>
      entry.chunk.type === 'finish' ? { ...entry, chunk: { ...entry.chunk, messageMetadata } } : entry,
    )
    const world = worldOf(silent, { options: { isWithTools: true } })
    await deliverUntilDone(world)
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual([expect.stringContaining('clock'), `⚠️ ${statusText}`])
  })

  test.each(['finished', 'stopped'] as const)('that is %s is not', async status => {
    const world = worldOf(runLog([text('It is')], status))
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['It is'])
  })

  test('is told in as many words as the channel takes', async () => {
    const log = new LogOfRun().add(
      'answer',
      { type: 'start', messageId: 'answer' },
      { type: 'error', errorText: 'word '.repeat(100) },
    )
    const world = worldOf(log.entries, { maxChars: 50 })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual([expect.stringMatching(/^⚠️ word .*…$/)])
    expect(world.channel.texts()[0]?.length).toBeLessThanOrEqual(50)
  })
})

describe('a channel', () => {
  test('that fails once gets the rest at the end, and nothing out of order', async () => {
    const world = worldOf(runLog([text(...sentences)]), {
      options: small,
      treatments: ['taken', 'unavailable'],
      reading: [{ entries: 1, afterMs: 2_000 }],
    })
    await deliverUntilDone(world)
    expect(world.channel.texts().join(' ')).toBe(sentences.join(''))
    expect(world.channel.problems).toEqual([])
  })

  test('that refuses a block gets the others', async () => {
    const world = worldOf(runLog([text(...sentences)]), { options: small, isRefused: key => key === 'run.1' })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['The first sentence of it.', 'The third sentence of it.'])
    expect(world.outbox.advances).toHaveLength(1)
  })

  test('that is gone for longer than we try gets nothing, and the next run is not held up', async () => {
    const gone = Array.from({ length: 100 }, (): Treatment => 'unavailable')
    const world = worldOf(runLog([text('One.')]), { treatments: gone, options: { giveUpMs: 10_000 } })
    const { clock, delivered } = begin(world)
    await clock.advance(20_000)
    await delivered
    expect(world.channel.texts()).toEqual([])
    expect(world.outbox.written).toMatchObject([{ status: 'failed' }])
  })

  test('that confirms what an earlier process sent only after we gave it up gets nothing twice', async () => {
    const world = worldOf(runLog([text(...sentences)]), {
      options: small,
      treatments: ['late'],
      reading: [{ entries: 3, afterMs: 1_000 }],
    })
    const [first = ''] = sentences
    const body = postBody({ text: first.trim() })
    world.outbox.items.push({ runId: 'run', index: 0, body, status: 'pending', receipt: undefined })
    await deliverUntilDone(world)
    expect(world.channel.texts().join(' ')).toBe(sentences.join(''))
  })

  test('is told that an answer is on its way until that has ended', async () => {
    const world = worldOf(runLog([text('One.')]), { reading: [{ entries: 3, afterMs: 10_000 }] })
    const { clock, delivered } = begin(world)
    await clock.advance(60_000)
    await delivered
    expect(world.channel.typings).toHaveLength(3)
  })

  test('is not told so any more while what is left of the answer is tried again', async () => {
    const world = worldOf(runLog([text('One.')]), {
      treatments: ['unavailable', 'unavailable', 'unavailable', 'unavailable'],
    })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['One.'])
    expect(world.channel.typings).toHaveLength(1)
  })
})

describe('an attempt that fails', () => {
  test('leaves nothing behind that would get in the next one’s way', async () => {
    // The log breaks off while text waits for more.
    const log = runLog([text('Waiting to be joined. ', 'And more.')])
    const world = worldOf(log)
    const clock = new FakeClock()
    const broken = { ...world, log: log.slice(0, 5), reading: [{ entries: 5, afterMs: 0 }] }
    await begin(broken, { clock }).delivered
    expect(world.outbox.advances).toEqual([])
    await clock.advance(60_000)
    expect(world.channel.requests).toEqual([])
    expect(world.channel.typings).toHaveLength(1)
    expect(clock.timerCount).toBe(0)
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual(['Waiting to be joined. And more.'])
  })

  test('because the store did ends while the answer is still being written: the next one goes on with it', async () => {
    const world = worldOf(runLog([text(...sentences)]), {
      options: small,
      reading: [{ entries: 1, afterMs: 5_000 }],
    })
    const process = new Mortal(new Map([[1, 'fails before']]))
    const { clock, delivered } = begin(world, { process })
    await clock.advance(32_000)
    await expect(delivered).rejects.toThrow('The store is not there.')
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'because call %i of the store failed is made up for by the next',
    async call => {
      for (const fault of ['fails before', 'fails after'] as const) {
        const world = worldOf(runLog([text(...sentences)], 'failed'), { options: small })
        await deliverUntilDone(world, [new Map<number, Fault>([[call, fault]])])
        expect(world.channel.texts().join(' ')).toBe(`${sentences.join('')} ⚠️ ${reason}`)
        expect(world.outbox.advances).toEqual([world.log.length])
      }
    },
  )
})

test('what an outbox has of a run that was removed takes nothing from the next', async () => {
  const world = worldOf(runLog([text('It is clear.')]))
  const body = postBody({ text: 'It is cloudy.' })
  world.outbox.items.push({ runId: 'removed', index: 0, body, status: 'sent', receipt: 'r' })
  await deliverUntilDone(world)
  expect(world.channel.texts()).toEqual(['It is clear.'])
})

test.each(['blocks', 'edit'] as const)(
  'an end of all ends a delivery at once, whatever it waits for (%s)',
  async streaming => {
    for (const treatments of [[], ['deaf'], ['unavailable'], ['taken', 'deaf']] as const) {
      const world = worldOf(runLog([text(...sentences), tool], 'failed'), {
        options: { ...small, streaming },
        treatments,
      })
      const { clock, closing, delivered } = begin(world)
      await settle()
      if (!(await isPending(delivered))) continue
      closing.abort(new Error('Closing.'))
      await expect(delivered).rejects.toThrow('Closing.')
      const { length } = world.channel.requests
      await clock.advance(100_000)
      expect(world.channel.requests).toHaveLength(length)
      await deliverUntilDone(world)
      expect(world.channel.texts().join(' ')).toBe(`${sentences.join('')} ⚠️ ${reason}`)
    }
  },
)
