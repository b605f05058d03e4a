import { fileBytesSuite } from '@throughline/testing/files/file-bytes-suite'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { folderBytes } from '../../src/file-bytes/folder-bytes.ts'

fileBytesSuite('a folder', async () => {
  const folder = await temporaryFolder()
  return {
    bytes: folderBytes(`${folder.path}/files`),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
})
