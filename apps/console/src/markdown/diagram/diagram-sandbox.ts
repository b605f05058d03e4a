// Runs in an iframe that may run scripts and nothing else. It is built into the page of that iframe: see diagram-page.ts.
import type { Diagram, SandboxReply, SandboxRequest } from './draw-messages.ts'

/** The parts of Mermaid that are used here. The library defines it. */
declare const mermaid: {
  initialize(config: object): void
  render(id: string, source: string): Promise<{ readonly svg: string }>
}

// The colours of the page, from styles.css.
const lightColours = {
  background: '#f4f4f1',
  edgeLabelBackground: '#f4f4f1',
  primaryColor: '#ffffff',
  secondaryColor: '#dff3ef',
  tertiaryColor: '#fcfcfb',
  primaryBorderColor: '#b9b9b2',
  primaryTextColor: '#1c1d1f',
  lineColor: '#66696f',
}
const darkColours = {
  darkMode: true,
  background: '#1b1d20',
  edgeLabelBackground: '#1b1d20',
  primaryColor: '#2a2e33',
  secondaryColor: '#16403b',
  tertiaryColor: '#202327',
  primaryBorderColor: '#565d66',
  primaryTextColor: '#e9eaec',
  lineColor: '#9aa0a8',
}

addEventListener('message', async ({ source, data }: MessageEvent<SandboxRequest>) => {
  if (source !== parent) return
  if (data.type === 'load') {
    await load(data.library)
    reply({ id: 0, svg: undefined })
  } else {
    reply({ id: data.id, svg: await draw(data.diagram, data.id) })
  }
})

function reply(message: SandboxReply): void {
  parent.postMessage(message, '*')
}

function load(library: string): Promise<unknown> {
  const script = document.createElement('script')
  script.src = URL.createObjectURL(new Blob([library], { type: 'text/javascript' }))
  const loaded = new Promise(resolve => {
    script.onload = resolve
  })
  document.body.append(script)
  return loaded
}

async function draw({ source, isDark }: Diagram, id: number): Promise<string | undefined> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      theme: 'base',
      themeVariables: isDark ? darkColours : lightColours,
      fontFamily:
        'ui-sans-serif, system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
      // Labels as SVG text: HTML in a picture is drawn differently by each browser.
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      maxTextSize: 20_000,
    })
    const { svg } = await mermaid.render(`diagram-${id}`, source)
    return asPicture(svg, (isDark ? darkColours : lightColours).background)
  } catch {
    // The source is wrong.
    return undefined
  }
}

/** Returns the diagram as well-formed XML with a size of its own, which an `img` element needs. */
function asPicture(svg: string, background: string): string | undefined {
  const holder = document.createElement('div')
  holder.innerHTML = svg
  const picture = holder.querySelector('svg')
  if (picture === null) return undefined
  const { width, height } = picture.viewBox.baseVal
  picture.setAttribute('width', String(Math.ceil(width)))
  picture.setAttribute('height', String(Math.ceil(height)))
  picture.setAttribute('style', `background: ${background}`)
  return new XMLSerializer().serializeToString(picture)
}
