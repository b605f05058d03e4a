import { type FileBytes, FileBytesError } from './file-bytes.ts'

/**
 * Returns the same files, and reports to the operator when they cannot be reached, and when they can be again: each once.
 * Whoever uses the files gets every error as before.
 */
export function reportFailures(bytes: FileBytes, report: (problem: string) => void): FileBytes {
  let isFailing = false

  async function watch<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work
      if (isFailing) report('The files of chats can be reached again.')
      isFailing = false
      return result
    } catch (error) {
      if (error instanceof FileBytesError && !isFailing) {
        isFailing = true
        report(`The files of chats cannot be reached. ${error.message}`)
      }
      throw error
    }
  }

  return {
    location: bytes.location,
    write: (chat, file) => watch(bytes.write(chat, file)),
    read: (chat, id) => watch(bytes.read(chat, id)),
    remove: (chat, id) => watch(bytes.remove(chat, id)),
    removeAll: chat => watch(bytes.removeAll(chat)),
  }
}
