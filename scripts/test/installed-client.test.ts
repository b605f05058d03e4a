import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoModel, demoTools } from '@throughline/agents/demo'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { installedFolder } from '../packages/installed-folder.ts'
import { packInto } from '../packages/pack-into.ts'
import { readmeExample } from '../packages/readme-example.ts'
import { publishedPackages } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// The short form of `npm run release:check`, which does this with every package.
test('the client works as it is packed, in an empty folder where npm has installed it', async () => {
  const names = ['@throughline/protocol', '@throughline/client']
  await runCommand([process.execPath, join(root, 'scripts/packages/build-packages.ts'), ...names], {
    cwd: root,
    stdio: 'ignore',
  })
  await using tarballs = await temporaryFolder()
  const packages = publishedPackages.filter(({ name }) => names.includes(name))
  await using installed = await installedFolder(await packInto(tarballs.path, root, packages))
  const installation = defaultInstallation(createDemoModel(), { tools: demoTools() })
  await using pageFolder = await plainPage(
    join(installed.path, 'node_modules/@throughline/client/dist/browser.js'),
  )
  await using server = await startTestServer({ ...installation, pageFolder: pageFolder.path })

  const { code = '', output } = (await readmeExample(join(root, 'packages/client'))) ?? {}
  expect(await installed.run(code.replace('http://127.0.0.1:4000', server.url))).toBe(output)
  const deep = "await import('@throughline/client/chat/create-chat').catch(error => console.log(error.code))"
  expect(await installed.run(deep)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')

  await using chromium = await sharedBrowser()
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', message => void (message.type() === 'error' && errors.push(message.text())))
  page.on('pageerror', error => void errors.push(error.message))
  await page.goto(server.url)
  await page.getByText('You wrote: "Hello').waitFor()
  // A chat that does not exist yet is no failed request, which a browser would print in red.
  expect(errors).toEqual([])
})

/** A page of plain HTML and one script, which nobody has built. */
async function plainPage(client: string) {
  const folder = await temporaryFolder()
  await copyFile(client, join(folder.path, 'client.js'))
  await writeFile(join(folder.path, 'page.js'), await guideExample())
  const html =
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><form><input name="text" value="Hello"></form><pre></pre>'
  await writeFile(join(folder.path, 'index.html'), `${html}<script type="module" src="/page.js"></script>`)
  return folder
}

/** The script in docs/guides/clients.md, which sends what is in the form. Here it is sent at once. */
async function guideExample(): Promise<string> {
  const guide = await readFile(join(root, 'docs/guides/clients.md'), 'utf8')
  const [, code = ''] = /```js\n\/\/ page\.js\n(.*?)```/s.exec(guide) ?? []
  return `${code}\nawait chat.send('Hello')`
}
