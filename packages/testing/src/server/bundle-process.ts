// Makes one JavaScript file of each program that tests start and kill, in the folder that the command line names. Such a file
// loads in a third of the time that hundreds of modules take.
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defaultServerConditions } from 'vite'

const [, , folder = ''] = process.argv
const root = fileURLToPath(new URL('../../../../', import.meta.url))

await build({
  root,
  configFile: false,
  logLevel: 'error',
  ssr: { noExternal: true, resolve: { conditions: ['throughline-source', ...defaultServerConditions] } },
  build: {
    ssr: true,
    outDir: folder,
    emptyOutDir: false,
    minify: false,
    rolldownOptions: {
      input: {
        'crash-process': join(root, 'packages/testing/src/server/crash-process.ts'),
        'deadly-process': join(root, 'packages/testing/src/nodes/deadly-process.ts'),
        command: join(root, 'apps/cli/src/main.ts'),
        // The store looks for its thread beside itself, by this name.
        thread: join(root, 'packages/store/src/sqlite/thread.ts'),
      },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
})
await writeFile(
  join(folder, 'throughline.mjs'),
  "import { main } from './command.mjs'\nawait main(process.argv.slice(2), process.env)\n",
)
// The command looks for the page beside itself, by this name.
await symlink(join(root, 'apps/console/dist'), join(folder, 'page'), 'junction')
