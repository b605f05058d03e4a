import type { FileBytes } from './file-bytes.ts'

/**
 * Returns files that are written to one place, and are also found in the place where they were written earlier. So an
 * installation can begin to use a bucket, and the files that it has already stay where they are.
 */
export function withEarlierBytes(current: FileBytes, earlier: FileBytes): FileBytes {
  return {
    location: current.location,
    write: (chat, file) => current.write(chat, file),
    read: async (chat, id) => (await current.read(chat, id)) ?? (await earlier.read(chat, id)),

    async remove(chat, id) {
      await current.remove(chat, id)
      await earlier.remove(chat, id)
    },

    async removeAll(chat) {
      await current.removeAll(chat)
      await earlier.removeAll(chat)
    },
  }
}
