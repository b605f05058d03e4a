import type { JobLeases } from '@throughline/store'
import { sharedStore } from '@throughline/testing/store/shared-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Jobs, ownJobs } from '../../src/nodes/jobs.ts'

const logger = pino({ level: 'silent' })

/** A node that wants to do the job `poll`. */
function worker(jobLeases: JobLeases, nodeId: string) {
  const jobs = new Jobs({ jobLeases, nodeId, logger })
  const closing = new AbortController()
  const counts = { begun: 0, atWork: 0 }
  const over = jobs.run('poll', closing.signal, async signal => {
    counts.begun += 1
    counts.atWork += 1
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    counts.atWork -= 1
  })
  const close = () => {
    closing.abort()
    return over
  }
  return { jobs, counts, close }
}

test('one node does a job; another one does it when the first one closes', async () => {
  await using shared = await sharedStore()
  const { jobLeases } = shared.store
  const first = worker(jobLeases, 'a')
  await first.jobs.renew()
  const second = worker(jobLeases, 'b')
  await second.jobs.renew()
  expect([first.counts.atWork, second.counts.atWork]).toEqual([1, 0])
  await first.close()
  expect(first.counts.atWork).toBe(0)
  await second.jobs.renew()
  expect(second.counts.atWork).toBe(1)
  await second.close()
})

test('a node whose lease has run out stops when it finds that another one does the job', async () => {
  await using shared = await sharedStore()
  const { jobLeases } = shared.store
  const first = worker(jobLeases, 'a')
  await first.jobs.renew()
  shared.pass(15_000)
  const second = worker(jobLeases, 'b')
  await second.jobs.renew()
  expect(second.counts.atWork).toBe(1)
  await first.jobs.renew()
  expect(first.counts.atWork).toBe(0)
  await second.close()
  await first.jobs.renew()
  expect(first.counts).toEqual({ begun: 2, atWork: 1 })
  await first.close()
})

test('a job that was paused begins again with the next renewal', async () => {
  await using shared = await sharedStore()
  const first = worker(shared.store.jobLeases, 'a')
  await first.jobs.renew()
  first.jobs.pause()
  await first.jobs.renew()
  expect(first.counts).toEqual({ begun: 2, atWork: 1 })
  await first.close()
})

test('while the database cannot be reached, a job that goes on goes on, and none begins', async () => {
  await using shared = await sharedStore()
  let isDown = false
  const { take, giveBack } = shared.store.jobLeases
  const jobLeases: JobLeases = {
    take: async (job, nodeId) => (isDown ? Promise.reject(new Error('down')) : take(job, nodeId)),
    giveBack,
  }
  const first = worker(jobLeases, 'a')
  await first.jobs.renew()
  isDown = true
  const second = worker(jobLeases, 'b')
  await first.jobs.renew()
  await second.jobs.renew()
  expect([first.counts, second.counts]).toEqual([
    { begun: 1, atWork: 1 },
    { begun: 0, atWork: 0 },
  ])
  await first.close()
  await second.close()
})

test('a process that shares its store with nobody does every job', async () => {
  const closing = new AbortController()
  const begun: string[] = []
  await ownJobs.run('poll', closing.signal, async signal => {
    begun.push(String(signal === closing.signal))
  })
  expect(begun).toEqual(['true'])
})
