/** A package that is published. */
export interface PublishedPackage {
  readonly name: string
  /** Relative to the root of the repository. */
  readonly folder: string
}

/** The packages that are published, each after those that it needs. */
export const publishedPackages: readonly PublishedPackage[] = [
  { name: '@throughline/protocol', folder: 'packages/protocol' },
  { name: '@throughline/log', folder: 'packages/log' },
  { name: '@throughline/store', folder: 'packages/store' },
  { name: '@throughline/agents', folder: 'packages/agents' },
  { name: '@throughline/channels', folder: 'packages/channels' },
  { name: '@throughline/server', folder: 'packages/server' },
  { name: '@throughline/client', folder: 'packages/client' },
  { name: 'throughline', folder: 'apps/cli' },
  { name: 'create-throughline', folder: 'packages/create' },
]
