import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** The script of the page in which diagrams are drawn. */
export const diagramSandbox = fileURLToPath(
  new URL('src/markdown/diagram/diagram-sandbox.ts', import.meta.url),
)

/**
 * Builds `/sandbox/diagram.html`, the page in which diagrams are drawn. It is shown in an iframe without an origin, so it can
 * load nothing: its script is in the page itself, and the only one that may run besides the library. The development
 * server has no such page: there, diagrams are shown as their source.
 */
export function diagramPage(): Plugin {
  let script = ''
  return {
    name: 'diagram-page',
    apply: 'build',
    buildStart() {
      script = this.emitFile({ type: 'chunk', id: diagramSandbox, name: 'diagram-sandbox' })
    },
    generateBundle(_options, bundle) {
      const name = this.getFileName(script)
      const built = bundle[name]
      if (built?.type !== 'chunk')
        throw new Error(`The build has no script for diagrams: ${name} is missing.`)
      if (built.imports.length > 0)
        throw new Error(`The script for diagrams must be whole, but it imports ${built.imports.join(', ')}.`)
      delete bundle[name]
      const hash = createHash('sha256').update(built.code).digest('base64')
      this.emitFile({
        type: 'asset',
        fileName: 'sandbox/diagram.html',
        source:
          '<!doctype html><meta charset="utf-8"><title>Diagram</title>' +
          `<meta http-equiv="Content-Security-Policy" content="script-src 'sha256-${hash}' blob:">` +
          `<body><script>${built.code}</script>`,
      })
    },
  }
}
