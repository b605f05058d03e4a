import { maxFiles, maxFilesBytes } from '@throughline/protocol/internal'
import { type Attachment, nextAttachmentId } from './attachment.ts'
import { kindOf } from './file-kinds.ts'

type Change = (change: (files: readonly Attachment[]) => readonly Attachment[]) => void

/** Adds files to a draft, and reads them one after the other. A file that cannot be sent says why. */
export async function readFiles(picked: readonly File[], change: Change): Promise<void> {
  const added = picked.map(file => ({ file, id: nextAttachmentId() }))
  change(files => [...files, ...added.map(({ file, id }) => attachmentOf(id, file, 'reading'))])
  for (const { file, id } of added) {
    const read = await attachmentFrom(id, file)
    change(files => files.map(each => (each.id === id ? fitting(read, files) : each)))
  }
}

async function attachmentFrom(id: number, file: File): Promise<Attachment> {
  const kind = kindOf(file)
  if (kind === undefined) return attachmentOf(id, file, 'kind')
  if (file.size > kind.limit) return attachmentOf(id, file, 'too-large')
  if (file.size === 0) return attachmentOf(id, file, 'empty')
  try {
    const { mediaType } = kind
    const url = await dataUrlOf(new Blob([file], { type: mediaType }))
    return { ...attachmentOf(id, file), part: { type: 'file', mediaType, url, filename: file.name } }
  } catch {
    // It was deleted meanwhile, or the browser may not read it.
    return attachmentOf(id, file, 'unreadable')
  }
}

/** Returns the file, without its data if the message has too many files with it. */
function fitting(read: Attachment, files: readonly Attachment[]): Attachment {
  const before = files.filter(({ part, id }) => part !== undefined && id !== read.id)
  const together = before.reduce((sum, { size }) => sum + size, read.size)
  if (read.part === undefined || (before.length < maxFiles && together <= maxFilesBytes)) return read
  return { ...read, part: undefined, problem: 'too-many' }
}

function attachmentOf(
  id: number,
  { name, size }: Pick<File, 'name' | 'size'>,
  problem?: Attachment['problem'],
): Attachment {
  return { id, name, size, problem }
}

/** Returns the contents of a file as a data URL. Throws when it cannot be read. */
function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error))
    reader.readAsDataURL(blob)
  })
}
