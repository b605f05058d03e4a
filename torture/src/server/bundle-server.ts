import { fileURLToPath } from 'node:url'
import { build, defaultServerConditions } from 'vite'

/**
 * Makes one file of the server process, and one of its thread, in a folder. Thousands of processes are started and
 * killed: one file loads in a third of the time that hundreds of modules take. Returns the path of the server's file.
 */
export async function bundleServer(folder: string): Promise<string> {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  await build({
    root: file('../..'),
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: ['throughline-source', ...defaultServerConditions] } },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        // The store looks for its thread beside itself, by this name.
        input: {
          server: file('./server-process.ts'),
          thread: file('./database-thread.ts'),
          recorded: file('../power-loss/recorded-process.ts'),
        },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })
  return `${folder}/server.mjs`
}
