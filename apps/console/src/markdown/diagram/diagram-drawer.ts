import libraryAddress from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import { addressOf } from '../../base-path.ts'
import type { Diagram, SandboxReply, SandboxRequest } from './draw-messages.ts'

export interface DiagramDrawer {
  /** Resolves with the diagram as SVG; with `undefined` when the source is wrong, or takes too long. Never rejects. */
  draw(diagram: Diagram): Promise<string | undefined>
}

const maxMs = 10_000

/**
 * Draws diagrams in an iframe with an origin of its own. A diagram that breaks out of the library can reach neither the
 * page nor the server, and one that never ends blocks the iframe only: it is thrown away.
 */
export function createDiagramDrawer(): DiagramDrawer {
  let sandbox: Promise<HTMLIFrameElement | undefined> | undefined
  let previous: Promise<unknown> = Promise.resolve()
  let count = 0
  const drawNow = async (diagram: Diagram) => {
    sandbox ??= openSandbox().catch(() => undefined)
    const iframe = await sandbox
    count += 1
    const reply = iframe && (await ask(iframe, { type: 'draw', id: count, diagram }, count))
    if (reply === undefined) {
      iframe?.remove()
      sandbox = undefined
    }
    return reply?.svg
  }
  return {
    draw(diagram) {
      // One after the other, so that the time of one does not count for another.
      const drawn = previous.then(() => drawNow(diagram))
      previous = drawn
      return drawn
    },
  }
}

/** Opens the iframe with the library in it. Resolves with `undefined` when it does not get ready. */
async function openSandbox(): Promise<HTMLIFrameElement | undefined> {
  const library = await (await fetch(libraryAddress)).text()
  const iframe = document.createElement('iframe')
  iframe.sandbox.add('allow-scripts')
  iframe.tabIndex = -1
  iframe.title = 'Mermaid'
  iframe.ariaHidden = 'true'
  // The library measures texts, so it needs room. Nobody sees it.
  Object.assign(iframe.style, { position: 'fixed', left: '-2000px', width: '1200px', height: '800px' })
  iframe.style.visibility = 'hidden'
  iframe.src = addressOf('/sandbox/diagram.html')
  const loaded = new Promise(resolve => {
    iframe.onload = resolve
  })
  document.body.append(iframe)
  await loaded
  if ((await ask(iframe, { type: 'load', library }, 0)) !== undefined) return iframe
  iframe.remove()
  return undefined
}

/** Sends a request. Resolves with the reply that has this id; with `undefined` when none comes in time. */
function ask(
  iframe: HTMLIFrameElement,
  request: SandboxRequest,
  id: number,
): Promise<SandboxReply | undefined> {
  return new Promise(resolve => {
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      if (source === iframe.contentWindow && isReply(data) && data.id === id) end(data)
    }
    const timer = setTimeout(() => end(undefined), maxMs)
    const end = (reply: SandboxReply | undefined) => {
      clearTimeout(timer)
      removeEventListener('message', onMessage)
      resolve(reply)
    }
    addEventListener('message', onMessage)
    iframe.contentWindow?.postMessage(request, '*')
  })
}

function isReply(data: unknown): data is SandboxReply {
  return (
    typeof data === 'object' &&
    data !== null &&
    'id' in data &&
    'svg' in data &&
    (data.svg === undefined || typeof data.svg === 'string')
  )
}
