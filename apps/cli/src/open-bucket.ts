import { type BucketOptions, bucketBytes, FileBytesError, probeBucket } from '@throughline/store'
import { bucketFromEnv } from './bucket-setting.ts'
import { CommandError } from './command-error.ts'
import { SettingError } from './setting-error.ts'
import type { Shell } from './shell.ts'

/** A bucket, as the store uses it. */
type Bucket = ReturnType<typeof bucketBytes>

/**
 * Returns the bucket of the files, after a look whether it can be used. Throws a `SettingError` when it refuses what we
 * need. A bucket that does not respond is only reported: chats work without it, and later it may respond.
 */
export async function openBucket(
  options: BucketOptions | undefined,
  report: (problem: string) => void,
): Promise<Bucket | undefined> {
  if (options === undefined) return undefined
  try {
    await probeBucket({ ...options, attemptMs: 5_000 })
  } catch (error) {
    if (!(error instanceof FileBytesError)) throw error
    if (error.code === 'refused') throw new SettingError('THROUGHLINE_FILES', error.message)
    report(`THROUGHLINE_FILES: ${error.message} Until it does, files can neither be saved nor read.`)
  }
  return bucketBytes(options)
}

/**
 * For commands that open the data of a server: returns the bucket of its files, if it has one. They may finish the removal
 * of chats, and must remove the files, too. Throws a `CommandError` when the setting is wrong.
 */
export function bucketOfServer(env: Shell['env']): Bucket | undefined {
  try {
    const options = bucketFromEnv(env)
    return options && bucketBytes(options)
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message) : error
  }
}
