import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { z } from 'zod'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('the tool in the guide that asks for whom it works is told', async () => {
  expect(await outputOf('remember', { text: 'Likes tea.' })).toMatchObject({
    saved: {
      ownerId: 'local',
      chatId: 'chat',
      by: 'assistant',
      page: 'https://shop.example/orders',
      workspaceId: 'shop',
      text: 'Likes tea.',
    },
  })
})

test('the tool in the guide that keeps a picture gives the address of a file', async () => {
  expect(await outputOf('floor_plan', { floor: 2 })).toEqual({
    floor: 2,
    picture: expect.stringMatching(/^\/api\/chats\/chat\/files\/file_/),
    mediaType: 'image/png',
    width: 1,
    height: 1,
  })
})

const part = z.object({ type: z.string(), output: z.unknown() })

/** Returns the result of a tool of the guide, run by a server with the guide's configuration. */
async function outputOf(toolName: string, input: unknown): Promise<unknown> {
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), await configurationWith(`${toolName}: tool(`))
  await mkdir(join(folder.path, 'plans'))
  await writeFile(join(folder.path, 'plans/2.png'), pictureBytes)
  const program = fileURLToPath(new URL('./guide-program.ts', import.meta.url))
  const args = [program, toolName, JSON.stringify(input)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path })
  const parts: unknown = JSON.parse(stdout)
  return z
    .array(z.unknown())
    .parse(parts)
    .map(each => part.safeParse(each).data)
    .find(each => each?.type === `tool-${toolName}`)?.output
}

/** Returns the code block of the guide that contains this text. */
async function configurationWith(text: string): Promise<string> {
  const guide = await readFile(join(root, 'docs/guides/add-a-tool.md'), 'utf8')
  const blocks = guide
    .split('```ts\n')
    .slice(1)
    .map(block => block.split('```')[0] ?? '')
  const block = blocks.find(each => each.includes(text))
  if (block === undefined) throw new Error(`The guide has no block with ${text}.`)
  return block
}
