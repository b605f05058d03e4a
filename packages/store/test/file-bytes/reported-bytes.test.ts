import { startS3Server } from '@throughline/testing/files/s3-server'
import { adasChat } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { bucketBytes } from '../../src/file-bytes/bucket-bytes.ts'
import { reportFailures } from '../../src/file-bytes/reported-bytes.ts'

test('a bucket that goes away and comes back is reported once each time', async () => {
  await using server = await startS3Server()
  const reports: string[] = []
  const bytes = reportFailures(bucketBytes(server.options), problem => void reports.push(problem))
  await bytes.write(adasChat, { id: 'file_1', bytes: new Uint8Array(3) })
  server.setDown(true)
  for (let count = 0; count < 2; count += 1) {
    await expect(bytes.read(adasChat, 'file_1')).rejects.toMatchObject({ code: 'unreachable' })
    await expect(bytes.removeAll(adasChat)).rejects.toMatchObject({ code: 'unreachable' })
  }
  server.setDown(false)
  expect((await bytes.read(adasChat, 'file_1'))?.byteLength).toBe(3)
  await bytes.removeAll(adasChat)
  expect(reports).toEqual([
    expect.stringMatching(
      /^The files of chats cannot be reached\. The bucket test-bucket .* does not respond/,
    ),
    'The files of chats can be reached again.',
  ])
})
