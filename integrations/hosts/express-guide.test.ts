import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { startGuideProgram } from '@throughline/testing/server/guide-program'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = fileURLToPath(new URL('node_modules', import.meta.url))

test('the application in the guide for Express has chats for its own users', async () => {
  await using folder = await guideFolder()
  await using example = await startGuideProgram(folder.path, 'server.ts')
  const chats = `${example.origin}/ai/api/chats`
  expect((await fetch(chats)).status).toBe(401)

  const ann = await signIn(example.origin, { id: 'ann', name: 'Ann' })
  const ben = await signIn(example.origin, { id: 'ben', name: 'Ben' })
  const question = { id: 'trip', messages: [userMessage()] }
  const answer = await sendJson(`${example.origin}/ai/api/chat`, question, { headers: ann })
  expect(await answer.text()).toContain('This is message 1 of our chat.')
  expect((await fetch(`${chats}/trip/messages`, { headers: ann })).status).toBe(200)
  expect((await fetch(`${chats}/trip/messages`, { headers: ben })).status).toBe(404)
})

test('a route of the application in the guide for Express starts a run for the person who called it', async () => {
  await using folder = await guideFolder()
  await using example = await startGuideProgram(folder.path, 'server.ts')
  expect((await sendJson(`${example.origin}/orders`, { article: 'a lamp' })).status).toBe(401)
  const ann = await signIn(example.origin, { id: 'ann', name: 'Ann' })
  const ordered = await sendJson(`${example.origin}/orders`, { article: 'a lamp' }, { headers: ann })
  expect(await ordered.json()).toEqual({ runId: expect.any(String) })
  const chat = await fetch(`${example.origin}/ai/api/chats/orders/messages`, { headers: ann })
  expect(await chat.text()).toContain('I have ordered a lamp.')
  expect(await example.end('SIGTERM')).toEqual([0, null])
})

/** Returns the headers of a person's later requests. */
async function signIn(origin: string, user: { readonly id: string; readonly name: string }) {
  const response = await sendJson(`${origin}/login`, user)
  return { cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

/** Makes a folder with the files of the guide. Express comes from this folder, everything else from the repository. */
async function guideFolder() {
  const guide = await readFile(join(root, 'docs/guides/express.md'), 'utf8')
  const folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  const path = join(folder.path, 'example')
  await mkdir(path)
  await symlink(modules, join(path, 'node_modules'), 'dir')
  await writeFile(join(path, 'package.json'), '{ "type": "module" }')
  for (const [, name = '', code = ''] of guide.matchAll(/```ts\n\/\/ ([a-z.]+)\n(.*?)```/gs))
    await writeFile(join(path, name), code)
  return { ...folder, path }
}
