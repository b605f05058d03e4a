import { startS3Server } from '@throughline/testing/files/s3-server'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { bucketFromEnv } from '../../src/settings/bucket.ts'
import { startProgram } from '../start-program.ts'

const keys = { AWS_ACCESS_KEY_ID: 'KEYID', AWS_SECRET_ACCESS_KEY: 'very-secret' }
const files = (value: string) => ({ ...keys, THROUGHLINE_FILES: value })

test('without the setting there is no bucket', () => {
  expect(bucketFromEnv({})).toBeUndefined()
  expect(bucketFromEnv(files(' '))).toBeUndefined()
})

test.each([
  ['s3://my-bucket/a/b?region=eu-central-1', 'https://my-bucket.s3.eu-central-1.amazonaws.com', 'a/b'],
  ['s3://my-bucket?region=eu-central-1', 'https://my-bucket.s3.eu-central-1.amazonaws.com', ''],
  ['s3://my.bucket/?region=eu-central-1', 'https://s3.eu-central-1.amazonaws.com/my.bucket', ''],
  ['s3://my-bucket/a/?region=eu-central-1&endpoint=http://minio:9000/', 'http://minio:9000/my-bucket', 'a'],
  [
    's3://my-bucket/a?region=eu-central-1&endpoint=https%3A%2F%2Fx.example%2Fs3',
    'https://x.example/s3/my-bucket',
    'a',
  ],
])('%s is the bucket at %s', (value, url, prefix) => {
  expect(bucketFromEnv(files(value))).toEqual({
    bucket: new URL(value).hostname,
    prefix,
    url,
    region: 'eu-central-1',
    accessKeyId: 'KEYID',
    secretAccessKey: 'very-secret',
    sessionToken: undefined,
  })
})

test('the region comes from the address, AWS_REGION or AWS_DEFAULT_REGION; another server than AWS needs none', () => {
  const region = (value: string, env = {}) => bucketFromEnv({ ...files(value), ...env })?.region
  expect(region('s3://bucket?region=here', { AWS_REGION: 'there' })).toBe('here')
  expect(region('s3://bucket', { AWS_REGION: 'there', AWS_DEFAULT_REGION: 'nowhere' })).toBe('there')
  expect(region('s3://bucket', { AWS_DEFAULT_REGION: 'nowhere' })).toBe('nowhere')
  expect(region('s3://bucket?endpoint=http://minio:9000')).toBe('us-east-1')
  expect(bucketFromEnv({ ...files('s3://bucket?region=x'), AWS_SESSION_TOKEN: 'token' })?.sessionToken).toBe(
    'token',
  )
})

test.each([
  ['./files', 'write it as s3://bucket/prefix?region=eu-central-1.'],
  ['https://bucket', 'write it as s3://'],
  ['s3://KEYID:very-secret@bucket?region=x', 'keys do not belong there. Set AWS_ACCESS_KEY_ID'],
  ['s3://Bucket?region=x', 'this is not the name of a bucket'],
  ['s3://b?region=x', 'this is not the name of a bucket'],
  ['s3:///prefix?region=x', 'this is not the name of a bucket'],
  ['s3://bucket/a b?region=x', 'a prefix may have letters'],
  ['s3://bucket/a//b?region=x', 'a prefix may have letters'],
  ['s3://bucket/.probe?region=x', 'a prefix may have letters'],
  ['s3://bucket', 'name the region, as in s3://'],
  ['s3://bucket?regoin=x', 'there is no parameter "regoin". Did you mean "region"?'],
  ['s3://bucket?region=a/b', 'a region has letters'],
  ['s3://bucket?endpoint=minio:9000', 'the endpoint must be an address such as'],
  ['s3://bucket?endpoint=http://KEYID:very-secret@minio', 'the endpoint must be an address such as'],
])('THROUGHLINE_FILES=%s is refused, and its keys are not repeated', (value, problem) => {
  const attempt = () => bucketFromEnv(files(value))
  expect(attempt).toThrow(`THROUGHLINE_FILES: ${problem}`)
  expect(attempt).not.toThrow('very-secret')
})

test('keys that are missing are named', () => {
  const problem = 'THROUGHLINE_FILES: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'
  for (const missing of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    expect(() => bucketFromEnv({ ...files('s3://bucket?region=x'), [missing]: '' })).toThrow(problem)
})

test('a server keeps what is attached in its bucket, says so at the start, and takes it away with the chat', async () => {
  await using folder = await temporaryFolder()
  await using bucket = await startS3Server()
  const { accessKeyId, secretAccessKey, region } = bucket.options
  const env = {
    PORT: '0',
    THROUGHLINE_LOG: 'silent',
    THROUGHLINE_FILES: `s3://test-bucket/installation?region=${region}&endpoint=${bucket.endpoint}`,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  const program = startProgram(['serve'], env, { cwd: folder.path })
  const said = await program.until('the files of chats in s3://test-bucket/installation at 127.0.0.1:')
  expect(said).not.toContain(secretAccessKey)
  const url = /http:\S+/.exec(said)?.[0] ?? ''
  const part = { type: 'file', mediaType: 'text/csv', filename: 'costs.csv', url: 'data:text/csv,day%2Ceuro' }
  const message = { id: 'u1', role: 'user', parts: [part, { type: 'text', text: 'What did it cost?' }] }
  expect((await sendJson(`${url}/api/chats/trip/messages`, { message })).status).toBe(202)
  const [key = ''] = bucket.objects.keys()
  expect(key).toMatch(/^installation\/local\/trip\/file_\w+$/)
  const file = await fetch(`${url}/api/chats/trip/files/${key.split('/').at(-1)}`)
  expect(await file.text()).toBe('day,euro')
  bucket.setDown(true)
  const refused = await sendJson(`${url}/api/chats/other/messages`, { message: { ...message, id: 'u2' } })
  expect(await refused.json()).toMatchObject({ status: 503, code: 'files-unavailable' })
  expect((await fetch(`${url}/api/chats/other`)).status).toBe(404)
  bucket.setDown(false)
  expect(
    (await sendJson(`${url}/api/chats/other/messages`, { message: { ...message, id: 'u2' } })).status,
  ).toBe(202)
  for (const chat of ['trip', 'other'])
    expect((await fetch(`${url}/api/chats/${chat}`, { method: 'DELETE' })).status).toBe(204)
  expect(bucket.objects.size).toBe(0)
  program.signal('SIGTERM')
  await program.ended
})

test('a bucket that refuses the key at the start is named, and the server ends with 1', async () => {
  await using folder = await temporaryFolder()
  await using bucket = await startS3Server()
  const env = {
    ...files(`s3://test-bucket?region=${bucket.options.region}&endpoint=${bucket.endpoint}`),
    PORT: '0',
    THROUGHLINE_LOG: 'silent',
  }
  const { code, errors } = await startProgram(['serve'], env, { cwd: folder.path }).ended
  expect(code).toBe(1)
  expect(errors).toMatch(
    /^THROUGHLINE_FILES: The bucket test-bucket \(127\.0\.0\.1:\d+\) refuses a PUT request \(HTTP 403 InvalidAccessKeyId\)\. Check /,
  )
  expect(errors).not.toContain('very-secret')
})

test('a bucket that is away at the start does not keep the server from starting', async () => {
  await using folder = await temporaryFolder()
  await using bucket = await startS3Server()
  bucket.setDown(true)
  const env = {
    ...files(`s3://test-bucket?endpoint=${bucket.endpoint}`),
    PORT: '0',
    THROUGHLINE_LOG: 'warn',
  }
  const program = startProgram(['serve'], env, { cwd: folder.path })
  const said = await program.until('the files of chats in s3://test-bucket at ')
  expect(said).toMatch(
    /THROUGHLINE_FILES: The bucket test-bucket \(\S+\) does not respond: \w+\. Until it does, /,
  )
  program.signal('SIGTERM')
  await program.ended
})
