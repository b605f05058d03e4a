import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

const server = process.env['THROUGHLINE_URL'] ?? 'http://127.0.0.1:4000'

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The packages of this repository are used as sources: nothing has to be built first.
  resolve: { conditions: ['throughline-source', ...defaultClientConditions] },
  // Relative addresses: the server puts its base path in their place.
  base: './',
  // What is loaded later is one file each: there is nothing to preload, and the page does not carry the code for it.
  build: { outDir: 'dist', emptyOutDir: true, modulePreload: false },
  // `npm run dev` beside a server that runs: the page reloads as you edit, the data is the server's.
  server: { proxy: { '/api': server } },
})
