import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoModel } from '@throughline/agents/models/demo/demo-model'
import { demoTools } from '@throughline/agents/models/demo/demo-tools'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { installedFolder } from '../installed-folder.ts'
import { packInto } from '../pack-into.ts'
import { publishedPackages } from '../published-packages.ts'
import { readmeExample } from '../readme-example.ts'
import { runCommand } from '../run-command.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// The short form of `npm run release:check`, which does this with every package.
test('the client works as it is packed, in an empty folder where npm has installed it', async () => {
  const names = ['@throughline/protocol', '@throughline/client']
  await runCommand([process.execPath, join(root, 'scripts/build-packages.ts'), ...names], {
    cwd: root,
    stdio: 'ignore',
  })
  await using tarballs = await temporaryFolder()
  const packages = publishedPackages.filter(({ name }) => names.includes(name))
  await using installed = await installedFolder(await packInto(tarballs.path, root, packages))
  await using server = await startTestServer(defaultInstallation(createDemoModel(), { tools: demoTools() }))

  const { code = '', output } = (await readmeExample(join(root, 'packages/client'))) ?? {}
  expect(await installed.run(code.replace('http://127.0.0.1:4000', server.url))).toBe(output)
  const deep = "await import('@throughline/client/chat/create-chat').catch(error => console.log(error.code))"
  expect(await installed.run(deep)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
})
