import libraryAddress from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import { Code, Workflow } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { PictureButton } from '../../pictures/picture-button.tsx'
import { addressOf } from '../../server/base-path.ts'
import { useLaterWords } from '../../words/later/use-later-words.ts'
import { CodeBlock, CodeFigure } from '../code/code-block.tsx'
import type { Diagram, SandboxReply, SandboxRequest } from './draw-messages.ts'

interface Props {
  readonly language: string
  /** The source of the diagram. */
  readonly pieces: readonly string[]
  readonly heightPx?: number
}

/** The note below a diagram that is wrong: a line of small text, and the space above it. */
const noteHeightPx = 24

/** Draws a diagram. Its source is shown until it is drawn, when it is wrong, and when the person asks for it. */
export function DiagramBlock({ language, pieces, heightPx = 0 }: Props) {
  const words = useLaterWords().diagram
  const [showsSource, setShowsSource] = useState(false)
  const source = pieces.join('')
  const drawing = useDrawing(source, useIsDark())
  if (drawing.status === 'waiting')
    return <CodeBlock language={language} pieces={pieces} heightPx={heightPx} />
  if (drawing.status === 'failed') {
    return (
      <div className="space-y-1">
        <CodeBlock language={language} pieces={pieces} heightPx={heightPx - noteHeightPx} />
        <p className="text-sm text-muted">{words.wrong}</p>
      </div>
    )
  }
  const Icon = showsSource ? Workflow : Code
  const other = (
    <button type="button" onClick={() => setShowsSource(!showsSource)} className="figure-button">
      <Icon size={13} />
      {showsSource ? words.diagram : words.source}
    </button>
  )
  return (
    <CodeFigure language={language} read={() => source} actions={other}>
      <div className="flex items-center justify-center overflow-auto p-3" style={{ height: heightPx }}>
        {showsSource ? (
          <pre className="size-full text-[13px] leading-relaxed">
            <code>{source}</code>
          </pre>
        ) : (
          <PictureButton
            address={drawing.address}
            label={words.diagram}
            className="rounded-lg object-contain"
            maxHeightPx={heightPx - 24}
          />
        )}
      </div>
    </CodeFigure>
  )
}

type Drawing =
  | { readonly status: 'waiting' }
  | { readonly status: 'failed' }
  /** The address is for an `img` element: nothing in a picture can run or load anything. */
  | { readonly status: 'drawn'; readonly address: string }

// One drawer for the page: it has loaded a large library.
const drawer = createDiagramDrawer()

/** Draws a diagram. While it is drawn again in other colours, the old drawing stays. */
function useDrawing(source: string, isDark: boolean): Drawing {
  const [drawing, setDrawing] = useState<Drawing>({ status: 'waiting' })
  useEffect(() => {
    let isGone = false
    let address: string | undefined
    drawer.draw({ source, isDark }).then(svg => {
      if (isGone) return
      if (svg !== undefined) address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
      setDrawing(address === undefined ? { status: 'failed' } : { status: 'drawn', address })
    })
    return () => {
      isGone = true
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [source, isDark])
  return drawing
}

/** Returns whether the page is dark. A diagram is a picture, so it does not follow the colours of the page by itself. */
function useIsDark(): boolean {
  return useSyncExternalStore(watchTheme, () => document.documentElement.classList.contains('dark'))
}

function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => observer.disconnect()
}

interface DiagramDrawer {
  /** Resolves with the diagram as SVG; with `undefined` when the source is wrong, or takes too long. Never rejects. */
  draw(diagram: Diagram): Promise<string | undefined>
}

const maxMs = 10_000

/**
 * Draws diagrams in an iframe with an origin of its own. A diagram that breaks out of the library can reach neither the
 * page nor the server, and one that never ends blocks the iframe only: it is thrown away.
 */
function createDiagramDrawer(): DiagramDrawer {
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
