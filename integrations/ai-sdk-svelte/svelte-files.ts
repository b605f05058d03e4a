import { compile, compileModule } from 'svelte/compiler'
import type { Plugin } from 'vite'

/** Compiles components (`.svelte`) and modules with runes (`.svelte.js`), as Svelte's own plugin does. */
export function svelteFiles(): Plugin {
  return {
    name: 'svelte-files',
    async transform(source, path) {
      if (path.endsWith('.svelte')) return compile(source, { filename: path, generate: 'client' }).js
      if (path.endsWith('.svelte.js')) return compileModule(source, { filename: path, generate: 'client' }).js
      return null
    },
  }
}
