import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // Keeps what the server of the agents has printed.
  clearScreen: false,
  // The page asks for /api at its own address, and Vite passes that on to the server of the agents.
  server: { proxy: { '/api': `http://127.0.0.1:${process.env.PORT ?? 4000}` } },
})
