import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

// Writes the digests of the base images into the Dockerfile and the files for Compose, as `name:tag@sha256:…`. A tag can be
// moved by whoever owns it, and a digest cannot. Asks the registry of the images with docker, so it needs both.

const files = ['Dockerfile', 'docs/deploy/compose.three-nodes.yaml']
const image = /^(FROM|\s+image:) ([a-z0-9./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?(?=\s|$)/gm

for (const file of files) {
  const url = new URL(`../../${file}`, import.meta.url)
  const text = readFileSync(url, 'utf8')
  writeFileSync(
    url,
    text.replace(image, (_, before: string, name: string) => `${before} ${name}@${digestOf(name)}`),
  )
  console.log(`${file}: pinned.`)
}

function digestOf(name: string): string {
  const words = ['buildx', 'imagetools', 'inspect', name, '--format', '{{.Manifest.Digest}}']
  const digest = execFileSync('docker', words, { encoding: 'utf8' }).trim()
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest
  throw new Error(`docker said no digest of ${name}, but: ${digest.slice(0, 100)}`)
}
