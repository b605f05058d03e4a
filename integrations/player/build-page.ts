import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

export interface PageSource {
  /** The folder of the client's packages. */
  readonly folder: string
  /** The page's script, from `integrations/`. */
  readonly page: string
}

const integrations = fileURLToPath(new URL('..', import.meta.url))

/** Builds the page of a client into a folder that a server can serve. */
export async function buildPage({ folder, page }: PageSource, outDir: string): Promise<void> {
  const root = join(integrations, folder)
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    // Pages may be shared by several versions of a client. Packages are those of the folder, wherever the page is.
    plugins: [packagesOf(root), ...(await frameworkOf(folder))],
    resolve: { conditions: ['svelte', 'browser', 'module', 'import', 'default'] },
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'esnext',
      chunkSizeWarningLimit: 100_000,
      rolldownOptions: { input: join(integrations, page), output: { entryFileNames: 'page.js' } },
    },
  })
  await mkdir(outDir, { recursive: true })
  await writeFile(
    join(outDir, 'index.html'),
    '<!doctype html><meta charset="utf-8"><title>A page that knows nothing of Throughline</title>' +
      '<div id="page"></div><script type="module" src="/page.js"></script>',
  )
}

/** Resolves the packages that a shared page imports in the folder of the client. */
function packagesOf(root: string): Plugin {
  return {
    name: 'packages-of-the-client',
    enforce: 'pre',
    async resolveId(name, importer, options) {
      const isPackage = /^[@a-z]/i.test(name) && !name.includes(':')
      if (!isPackage || importer === undefined || importer.includes('node_modules')) return null
      return this.resolve(name, join(root, 'package.json'), { ...options, skipSelf: true })
    },
  }
}

/** What a framework's files have to be compiled with. */
async function frameworkOf(folder: string): Promise<readonly Plugin[]> {
  if (!folder.includes('svelte')) return []
  const { svelteFiles } = await import('../ai-sdk-svelte/svelte-files.ts')
  return [svelteFiles()]
}
