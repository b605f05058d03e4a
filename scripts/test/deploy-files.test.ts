import { readdirSync, readFileSync } from 'node:fs'
import { createMetrics } from '@throughline/server'
import { describe, expect, test } from 'vitest'
import { helpOn } from '../../apps/cli/src/help.ts'
import { settingsFromEnv } from '../../apps/cli/src/settings/settings.ts'
import { publishedPackages } from '../published-packages.ts'

// The proxies themselves are tested with `npm run test:integrations -- three-nodes.test.ts`, because they need nginx and
// Caddy. These are the lines that must not get lost.

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

test.each([
  ['nginx.conf', 'proxy_buffering off;'],
  ['nginx.conf', 'listen 443 ssl http2;'],
  ['nginx.conf', 'proxy_read_timeout 60s;'],
  ['nginx.conf', 'proxy_http_version 1.1;'],
  ['nginx.conf', 'proxy_set_header Host $http_host;'],
  ['nginx.conf', 'proxy_next_upstream error timeout;'],
  ['nginx.conf', 'client_max_body_size 32m;'],
  ['Caddyfile', 'flush_interval -1'],
  ['Caddyfile', 'health_uri /ready'],
  ['Caddyfile', 'Host localhost'],
  ['Caddyfile', 'lb_try_duration 5s'],
  ['throughline.service', 'KillMode=mixed'],
  ['throughline.service', 'ReadWritePaths=/var/lib/throughline /var/backups/throughline'],
  ['throughline.service', 'MemoryMax=2G'],
  ['throughline.service', 'Environment=THROUGHLINE_TOKENS_FILE=/etc/throughline/tokens'],
  ['compose.one-node.yaml', '    mem_limit: 2g'],
  ['compose.one-node.yaml', 'THROUGHLINE_TOKENS_FILE: /run/secrets/tokens'],
  ['compose.three-nodes.yaml', '  mem_limit: 2g'],
  ['compose.three-nodes.yaml', 'DATABASE_URL_FILE: /run/secrets/database-url'],
  ['compose.one-node.yaml', '      - data:/data'],
  ['compose.one-node.yaml', '    ports: ["127.0.0.1:4000:4000"]'],
  ['compose.three-nodes.yaml', '      NODES: node1:4000 node2:4000 node3:4000'],
])('docs/deploy/%s says: %s', (file, line) => {
  expect(read(`docs/deploy/${file}`)).toContain(line)
})

test('no file for Compose has a secret in the environment', () => {
  for (const file of ['compose.one-node.yaml', 'compose.three-nodes.yaml'])
    expect(read(`docs/deploy/${file}`)).not.toMatch(/(?:PASSWORD|TOKENS|_KEY|DATABASE_URL):/)
})

test('no proxy keeps people on one node', () => {
  for (const file of ['nginx.conf', 'Caddyfile'])
    expect(read(`docs/deploy/${file}`)).not.toMatch(/ip_hash|sticky|lb_policy cookie/)
})

test('the files of docs/deploy name only settings that exist', () => {
  for (const file of readdirSync(new URL('docs/deploy', root)))
    for (const [name] of read(`docs/deploy/${file}`).matchAll(/THROUGHLINE_[A-Z_]+/g))
      expect(() => settingsFromEnv({ [name]: '' }), `${file}: ${name}`).not.toThrow()
})

test.each(['apps/cli/src/help.ts', 'docs/guides/configuration.md', 'docs/guides/postgres.md', 'README.md'])(
  '%s names only settings that exist',
  path => {
    for (const [name] of read(path).matchAll(/THROUGHLINE_[A-Z_]+/g))
      expect(() => settingsFromEnv({ [name]: '' }), name).not.toThrow()
  },
)

test('the guide has every setting that the help of the server has', () => {
  const guide = read('docs/guides/configuration.md')
  const names = [...(helpOn('serve') ?? '').matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name)
  expect(names).toContain('DATABASE_LISTEN_URL')
  for (const name of names) expect(guide).toContain(`\`${name}\``)
})

describe('the image', () => {
  const lines = read('Dockerfile').split('\n')

  test('has every package that the server needs', () => {
    const [, list = ''] = /for each in (.*); do/.exec(read('Dockerfile')) ?? []
    const needed = publishedPackages
      .map(({ folder }) => folder)
      .filter(folder => folder !== 'packages/create')
    expect(list.split(' ').toSorted()).toEqual(needed.toSorted())
  })

  test('runs as a user of its own, gets signals itself, and says how it is', () => {
    for (const line of [
      'USER node',
      'VOLUME /data',
      'CMD ["node", "apps/cli/bin/throughline.js", "serve"]',
      'RUN cd /app && npm ci --workspace throughline --omit=dev --omit=optional --ignore-scripts',
    ])
      expect(lines).toContain(line)
    expect(lines.some(line => line.startsWith('HEALTHCHECK'))).toBe(true)
    expect(lines.filter(line => line.startsWith('FROM node:24-slim'))).toHaveLength(2)
  })

  test('is built without secrets, data and what was built before, but with every workspace', () => {
    const ignored = read('.dockerignore').split('\n')
    for (const name of ['.git', '.env', '.env.*', 'data', '**/node_modules', '**/dist'])
      expect(ignored).toContain(name)
    const { workspaces }: { workspaces: readonly string[] } = JSON.parse(read('package.json'))
    for (const workspace of workspaces) expect(ignored).not.toContain(workspace.replace('/*', ''))
  })
})

describe('of the metrics,', async () => {
  const metrics = await createMetrics()
  const text = await metrics.text()
  const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }))
  const own = names.filter(({ name }) => name.startsWith('throughline_'))

  test('the table has every one, with its type, and no other', () => {
    const rows = [...read('docs/deploy/metrics.md').matchAll(/^\| `(throughline_\w+)` \| (\w+) \|/gm)]
    const documented = rows.map(([, name = '', type = '']) => ({ name, type }))
    const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
      a.name.localeCompare(b.name)
    expect(documented.toSorted(byName)).toEqual(own.toSorted(byName))
  })

  test('the dashboard asks only for those that exist', () => {
    const asked = read('docs/deploy/grafana.json').matchAll(/\b(?:throughline|nodejs)_\w+/g)
    const known = new Set(
      names.flatMap(({ name, type }) => (type === 'histogram' ? [`${name}_bucket`] : [name])),
    )
    for (const [name] of asked) expect(known.has(name), name).toBe(true)
  })
})
