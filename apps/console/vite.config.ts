import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { diagramPage, diagramSandbox } from './diagram-page.ts'
import { modernFonts } from './modern-fonts.ts'
import { ownPolicy } from './own-policy.ts'

const server = process.env['THROUGHLINE_URL'] ?? 'http://127.0.0.1:4000'

/** The words with which the page begins. Each language is a script of its own. */
const firstWords = /\/src\/words\/first\/(en|zh)\.ts$/

export default defineConfig({
  plugins: [react(), tailwindcss(), modernFonts(), nameWords(), ownPolicy(), diagramPage()],
  resolve: {
    // The packages of this repository are used as sources: nothing has to be built first.
    conditions: ['throughline-source', ...defaultClientConditions],
    // The browser has these tables already. Without the copies of markdown-it the script is a tenth smaller.
    alias: {
      entities: inBrowser('entities'),
      'punycode.js': inBrowser('punycode'),
    },
  },
  // Relative addresses: the server puts its base path in their place.
  base: './',
  // Nothing is written into a file as a `data:` address: the policy of the page allows no such fonts.
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // What the page begins with is one script, not several: together it is smaller, and none of it is loaded alone. The script
    // for diagrams is not part of it: it runs in another page, which can load nothing.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'], test: isOfPage }] } },
    },
    // The page names the scripts that it begins with, so that all of them are loaded at once. What is loaded later is small.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, scripts, { hostType }) => (hostType === 'html' ? scripts : []),
    },
  },
  // `npm run dev` beside a server that runs: the page reloads as you edit, the data is the server's.
  server: { proxy: { '/api': server } },
})

function isOfPage(file: string): boolean {
  return file !== diagramSandbox
}

function inBrowser(name: string): string {
  return fileURLToPath(new URL(`src/markdown/in-browser/${name}.ts`, import.meta.url))
}

/** Writes the addresses of the words into the page, where public/before-paint.js looks for them. */
function nameWords(): Plugin {
  return {
    name: 'name-words',
    transformIndexHtml(_html, { bundle }) {
      return Object.values(bundle ?? {}).flatMap(output => {
        const file = output.type === 'chunk' ? (output.facadeModuleId ?? '') : ''
        const [, language] = firstWords.exec(file) ?? []
        if (language === undefined) return []
        const attrs = { name: `throughline-words-${language}`, content: `./${output.fileName}` }
        return [{ tag: 'meta', attrs, injectTo: 'head-prepend' as const }]
      })
    },
  }
}
