// Builds the store of this release into packages/store/test/release-before, which is committed. The tests of the next release
// let it work on the file that they have migrated. `npm run release:version` runs this.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defaultServerConditions } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'packages/store/test/release-before')

await rm(folder, { recursive: true, force: true })
await build({
  root,
  configFile: false,
  logLevel: 'error',
  // Only our own code: the packages of others are those of the release that is tested.
  ssr: {
    noExternal: [/^@throughline\//],
    resolve: { conditions: ['throughline-source', ...defaultServerConditions] },
  },
  build: {
    ssr: true,
    outDir: folder,
    minify: false,
    rolldownOptions: {
      input: {
        'open-store': join(root, 'packages/store/src/open/open-store.ts'),
        migrations: join(root, 'packages/store/src/database/migrations.ts'),
        // The store looks for its thread beside itself, by this name.
        thread: join(root, 'packages/store/src/sqlite/thread.ts'),
      },
      output: { entryFileNames: '[name].mjs', chunkFileNames: 'shared-[name].mjs' },
    },
  },
})
