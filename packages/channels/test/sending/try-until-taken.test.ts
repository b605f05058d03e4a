import { settle } from '@throughline/testing/faults/held-writes'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { describe, expect, test } from 'vitest'
import { ChannelError } from '../../src/ports/channel.ts'
import { startTimer } from '../../src/ports/timers.ts'
import { type Attempt, type TryOptions, tryUntilTaken } from '../../src/sending/send-posts.ts'
import { FakeClock } from '../fake-clock.ts'

class Trial {
  readonly clock = new FakeClock()
  readonly closing = new AbortController()
  readonly reports: string[] = []
  /** When attempts were made. */
  readonly times: number[] = []
  readonly taken: Promise<boolean>

  constructor(attempt: Attempt, options: Partial<TryOptions> = {}) {
    const counted: Attempt = signal => {
      this.times.push(this.clock.now)
      return attempt(signal)
    }
    this.taken = tryUntilTaken(counted, 'a block', {
      signal: this.closing.signal,
      report: (_, what) => this.reports.push(what),
      startTimer: this.clock.startTimer,
      now: () => this.clock.now,
      ...options,
    })
    this.taken.catch(() => undefined)
  }
}

const unavailable = (retryAfterMs?: number): Attempt => {
  return async () => {
    throw new ChannelError('unavailable', 'Later.', retryAfterMs)
  }
}

/** The first attempts fail, the others go well. */
function failing(...errors: readonly Error[]): Attempt {
  const left = [...errors]
  return async () => {
    const error = left.shift()
    if (error !== undefined) throw error
  }
}

test('what is taken at once is tried once, and leaves no timer behind', async () => {
  const trial = new Trial(async () => 'taken')
  expect(await trial.taken).toBe(true)
  expect(trial.times).toEqual([0])
  expect(trial.reports).toEqual([])
  expect(trial.clock.timerCount).toBe(0)
})

test('attempts come further and further apart, up to a minute', async () => {
  const trial = new Trial(unavailable())
  await trial.clock.advance(300_000)
  const seconds = trial.times.map(time => time / 1_000)
  expect(seconds).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
  expect(new Set(trial.reports)).toEqual(new Set(['a block was not taken by its channel and is tried again']))
})

test('a clock of the machine that jumps forward gives nothing up', async () => {
  const real = Date.now
  using _ = {
    [Symbol.dispose]() {
      Date.now = real
    },
  }
  let jumpMs = 0
  Date.now = () => real() + jumpMs
  const trial = new Trial(failing(new ChannelError('unavailable', 'Later.')), { now: undefined })
  jumpMs = 7_200_000
  await trial.clock.advance(5_000)
  expect(await trial.taken).toBe(true)
})

test('a channel that says how long to wait is not asked before that', async () => {
  const later = new ChannelError('unavailable', 'Later.', 90_000)
  const trial = new Trial(failing(later, later))
  await trial.clock.advance(200_000)
  expect(trial.times).toEqual([0, 90_000, 180_000])
  expect(await trial.taken).toBe(true)
})

test('a wait that is shorter than ours does not shorten it', async () => {
  const trial = new Trial(failing(new ChannelError('unavailable', 'Soon.', 1)))
  await trial.clock.advance(1_000)
  expect(trial.times).toEqual([0, 1_000])
})

describe('giving up', () => {
  test('comes after the time for it, with a last attempt at its end', async () => {
    const trial = new Trial(unavailable(), { giveUpMs: 10_000 })
    await trial.clock.advance(10_000)
    expect(await trial.taken).toBe(false)
    expect(trial.times).toEqual([0, 1_000, 3_000, 7_000, 10_000])
    expect(trial.reports.at(-1)).toBe('a block was not taken by its channel and is given up')
  })

  test('is not put off by a channel that wants us to wait for years', async () => {
    const trial = new Trial(unavailable(1e15), { giveUpMs: 10_000 })
    await trial.clock.advance(10_000)
    expect(await trial.taken).toBe(false)
    expect(trial.times).toEqual([0, 10_000])
  })

  test('takes an hour unless something else is said', async () => {
    const trial = new Trial(unavailable())
    await trial.clock.advance(3_599_999)
    expect(await promiseState(trial.taken)).toEqual(unsettled)
    await trial.clock.advance(1)
    expect(await trial.taken).toBe(false)
  })

  test('comes at once when the channel refuses', async () => {
    const trial = new Trial(failing(new ChannelError('refused', 'Never.')))
    expect(await trial.taken).toBe(false)
    expect(trial.times).toEqual([0])
  })
})

describe('an attempt that is not answered', () => {
  test('is over after its time, which its signal says, and the next one begins', async () => {
    const signals: AbortSignal[] = []
    const trial = new Trial(
      signal => {
        signals.push(signal)
        return signals.length === 1 ? new Promise(() => {}) : Promise.resolve()
      },
      { timeoutMs: 5_000 },
    )
    await trial.clock.advance(4_999)
    expect(signals[0]?.aborted).toBe(false)
    await trial.clock.advance(1)
    expect(signals[0]?.reason).toMatchObject({ name: 'ChannelError', code: 'unavailable' })
    await trial.clock.advance(1_000)
    expect(await trial.taken).toBe(true)
    expect(signals[1]?.aborted).toBe(false)
    expect(trial.clock.timerCount).toBe(0)
  })

  test('may take fifteen seconds unless something else is said', async () => {
    const trial = new Trial(() => new Promise(() => {}))
    await trial.clock.advance(15_999)
    expect(trial.times).toEqual([0])
    await trial.clock.advance(1)
    expect(trial.times).toEqual([0, 16_000])
  })
})

test.each(['in an attempt', 'between two attempts'])('an end of all %s ends it at once', async when => {
  const trial = new Trial(when === 'in an attempt' ? () => new Promise(() => {}) : unavailable())
  await settle()
  trial.closing.abort(new Error('Closing.'))
  await expect(trial.taken).rejects.toThrow('Closing.')
  expect(trial.clock.timerCount).toBe(0)
  await trial.clock.advance(100_000)
  expect(trial.times).toEqual([0])
})

test('a channel that fails because of an end of all is not tried again', async () => {
  const trial = new Trial(
    signal =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ChannelError('unavailable', 'It was cut short.')))
      }),
  )
  await settle()
  trial.closing.abort(new Error('Closing.'))
  await expect(trial.taken).rejects.toThrow('Closing.')
  expect(trial.reports).toEqual([])
})

test('what is not the channel’s doing is thrown, and not tried again', async () => {
  const trial = new Trial(failing(new Error('The store is down.')))
  await expect(trial.taken).rejects.toThrow('The store is down.')
  expect(trial.times).toEqual([0])
})

test('a timer for longer than Node knows does not ring at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = startTimer(resolve, 2 ** 40)
  const sooner = new Promise<void>(done => startTimer(done, 20))
  await sooner
  expect(await promiseState(promise)).toEqual(unsettled)
  stop()
})
