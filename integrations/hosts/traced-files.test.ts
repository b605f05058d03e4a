import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFileTrace } from '@vercel/nft'
import { expect, test } from 'vitest'

// Frameworks such as Nuxt and Next copy to their output only what an application uses, as this library finds it.

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the files of the page go along when a framework copies what is used', async () => {
  const dist = join(root, 'apps/cli/dist')
  const page = await readdir(join(dist, 'page'), { recursive: true, withFileTypes: true })
  const files = page
    .filter(file => file.isFile())
    .map(file => relative(root, join(file.parentPath, file.name)))
  expect(files).toContain('apps/cli/dist/page/index.html')
  const copied = await filesOf(join(dist, 'serve/page-folder.js'))
  expect(files.filter(file => !copied.has(file))).toEqual([])
})

test('the code of the threads goes along, too', async () => {
  expect(await filesOf(join(root, 'packages/store/dist/sqlite/open-sqlite.js'))).toContain(
    'packages/store/dist/sqlite/thread.js',
  )
  expect(await filesOf(join(root, 'packages/agents/dist/models/thread/model-thread.js'))).toContain(
    'packages/agents/dist/models/thread/thread.js',
  )
})

async function filesOf(program: string): Promise<ReadonlySet<string>> {
  const { fileList } = await nodeFileTrace([program], { base: root })
  return fileList
}
