import { execFile } from 'node:child_process'
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const names = ['agents', 'channels', 'log', 'protocol', 'server', 'store']

/**
 * Compiles our packages to JavaScript in a folder `node_modules`, as a project would have them. Next takes a package of
 * TypeScript files into its bundles, whatever its configuration says.
 */
export async function buildPackages(modules: string): Promise<void> {
  const scope = join(modules, '@throughline')
  await mkdir(scope, { recursive: true })
  const config = join(scope, 'tsconfig.json')
  await writeFile(config, JSON.stringify(configFor(scope)))
  await promisify(execFile)('npm', ['exec', '--', 'tsc', '-p', config], { cwd: root })
  for (const name of names) await describePackage(name, scope)
  for await (const file of glob('**/*.js', { cwd: scope })) await nameBuiltFiles(join(scope, file))
}

function configFor(outDir: string) {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, 'packages'),
      outDir,
    },
    include: names.map(name => join(root, 'packages', name, 'src')),
    exclude: [],
  }
}

async function describePackage(name: string, scope: string): Promise<void> {
  const about = JSON.parse(await readFile(join(root, 'packages', name, 'package.json'), 'utf8'))
  const exports = { './*': { types: './src/*.d.ts', default: './src/*.js' } }
  await writeFile(join(scope, name, 'package.json'), JSON.stringify({ ...about, exports }))
}

/** The compiler renames the files of imports, but not those that are started as threads and programs. */
async function nameBuiltFiles(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(
    file,
    text.replaceAll(/(new URL\('\.\/[\w-]+)\.ts', import\.meta\.url\)/g, "$1.js', import.meta.url)"),
  )
}
