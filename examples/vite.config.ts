import { defaultClientConditions, defineConfig } from 'vite'

const server = process.env['THROUGHLINE_URL'] ?? 'http://127.0.0.1:4000'

// Beside a server that runs: the page is Vite's, everything else is asked of the server.
export default defineConfig({
  // The packages of this repository are used as sources: nothing has to be built first.
  resolve: { conditions: ['throughline-source', ...defaultClientConditions] },
  // Relative to each example's folder. Otherwise all of them share one cache, and two at the same time break each other.
  cacheDir: 'node_modules/.vite',
  server: { proxy: { '/api': server, '/agent': server, '/sessions': server } },
})
