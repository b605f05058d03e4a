import type { NextConfig } from 'next'

export default {
  // Next must not bundle what runs threads and a database: Node loads these packages from node_modules.
  serverExternalPackages: ['throughline'],
} satisfies NextConfig
