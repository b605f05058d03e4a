import { join } from 'node:path'
import { build } from 'vite'

/** Builds `browser.js` of the client's `dist` anew: one minified file, with everything that it imports. */
export async function bundleClient(dist: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: dist,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2022',
      minify: true,
      sourcemap: true,
      lib: { entry: join(dist, 'browser.js'), formats: ['es'], fileName: () => 'browser.js' },
    },
  })
}
