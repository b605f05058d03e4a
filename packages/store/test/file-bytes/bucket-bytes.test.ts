import { fileBytesSuite } from '@throughline/testing/files/file-bytes-suite'
import { type S3Fault, startS3Server } from '@throughline/testing/files/s3-server'
import { adasChat } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { bucketBytes, probeBucket } from '../../src/file-bytes/bucket-bytes.ts'

fileBytesSuite('a bucket', async () => {
  // A list has few keys, so that removing a chat needs several pages.
  const server = await startS3Server({ pageSize: 50 })
  return {
    bytes: bucketBytes(server.options),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
})

const file = { id: 'file_1', bytes: new TextEncoder().encode('picture') }
const slowDown: S3Fault = { type: 'error', status: 503, code: 'SlowDown' }

test('the keys of a chat’s files are below the prefix, the owner and the chat', async () => {
  await using server = await startS3Server()
  await bucketBytes(server.options).write(adasChat, file)
  await bucketBytes({ ...server.options, prefix: '' }).write(adasChat, file)
  await bucketBytes({ ...server.options, prefix: 'a/b' }).write(adasChat, file)
  expect([...server.objects.keys()]).toEqual([
    'files/ada/chat/file_1',
    'ada/chat/file_1',
    'a/b/ada/chat/file_1',
  ])
})

test('temporary credentials are signed with their token', async () => {
  await using server = await startS3Server({ sessionToken: 'session-token' })
  await bucketBytes(server.options).write(adasChat, file)
  expect(server.objects.size).toBe(1)
  const without = bucketBytes({ ...server.options, sessionToken: undefined })
  await expect(without.read(adasChat, 'file_1')).rejects.toThrow('HTTP 403 InvalidToken')
})

test.each<readonly [string, S3Fault]>([
  ['is overloaded', slowDown],
  ['breaks the connection', { type: 'reset' }],
  ['does the work and loses the response', { type: 'lost-response' }],
  ['breaks off in the middle of the response', { type: 'cut-response' }],
  ['does not respond in time', { type: 'silence' }],
])('a bucket that %s is asked again', async (_, fault) => {
  await using server = await startS3Server()
  const bytes = bucketBytes({ ...server.options, attemptMs: 500 })
  server.fail(fault)
  await bytes.write(adasChat, file)
  server.fail(fault, fault)
  expect(Buffer.from((await bytes.read(adasChat, 'file_1')) ?? []).toString()).toBe('picture')
  server.fail(fault)
  await bytes.removeAll(adasChat)
  expect(server.objects.size).toBe(0)
})

test('a bucket that is away is an error that names it, after four attempts, and has no secrets', async () => {
  await using server = await startS3Server()
  const bytes = bucketBytes(server.options)
  await bytes.write(adasChat, file)
  server.setDown(true)
  const failure = await bytes.read(adasChat, 'file_1').catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'FileBytesError', code: 'unreachable' })
  expect(String(failure)).toMatch(
    /^FileBytesError: The bucket test-bucket \(127\.0\.0\.1:\d+\) does not respond: /,
  )
  expect(String(failure)).not.toContain('TESTKEYID')
  expect(server.requests).toHaveLength(5)
  server.setDown(false)
  expect(await bytes.read(adasChat, 'file_1')).toBeDefined()
})

test.each([
  [{ secretAccessKey: 'another' }, 'refuses a PUT request (HTTP 403 SignatureDoesNotMatch)'],
  [{ accessKeyId: 'ANOTHER' }, 'refuses a PUT request (HTTP 403 InvalidAccessKeyId)'],
  [{ region: 'elsewhere' }, 'refuses a PUT request (HTTP 403 AuthorizationHeaderMalformed)'],
])('a request with %j is refused at once, and nothing is written', async (change, message) => {
  await using server = await startS3Server()
  const bytes = bucketBytes({ ...server.options, ...change })
  await expect(bytes.write(adasChat, file)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining(message),
  })
  expect(server.requests).toHaveLength(1)
  expect(server.objects.size).toBe(0)
})

test('a bucket that does not exist is not taken for a bucket without the file', async () => {
  await using server = await startS3Server()
  const bytes = bucketBytes({ ...server.options, url: `${server.endpoint}/no-such-bucket` })
  await expect(bytes.read(adasChat, 'file_1')).rejects.toThrow('HTTP 404 NoSuchBucket')
  await expect(bytes.removeAll(adasChat)).rejects.toThrow('refuses a LIST request (HTTP 404 NoSuchBucket)')
})

test('a removal that a failure has cut off goes on with the next call', async () => {
  await using server = await startS3Server({ pageSize: 10 })
  const bytes = bucketBytes(server.options)
  for (let index = 0; index < 30; index += 1) await bytes.write(adasChat, { ...file, id: `file_${index}` })
  // The list and the first eight deletes work.
  const works = Array.from({ length: 9 }, (): S3Fault => ({ type: 'none' }))
  server.fail(...works, { type: 'error', status: 403, code: 'AccessDenied' })
  await expect(bytes.removeAll(adasChat)).rejects.toThrow('refuses a DELETE request (HTTP 403 AccessDenied)')
  expect(server.objects.size).toBeGreaterThan(0)
  await bytes.removeAll(adasChat)
  expect(server.objects.size).toBe(0)
})

test('a probe finds out whether the bucket can be used, and leaves nothing', async () => {
  await using server = await startS3Server()
  await Promise.all([1, 2, 3].map(() => probeBucket(server.options)))
  expect(server.objects.size).toBe(0)
  const works: S3Fault = { type: 'none' }
  server.fail(works, works, { type: 'error', status: 403, code: 'AccessDenied' })
  await expect(probeBucket(server.options)).rejects.toThrow('refuses a LIST request (HTTP 403 AccessDenied)')
})
