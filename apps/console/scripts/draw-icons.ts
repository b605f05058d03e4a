// `npm run draw-icons`: makes the pictures that a phone or a desktop shows for the installed page, from icon.svg.
import { readFile, writeFile } from 'node:fs/promises'
import { launchBrowser } from '@throughline/testing/browser/browser'

const folder = new URL('../public/', import.meta.url)

interface Icon {
  readonly file: string
  /** Width and height in pixels. */
  readonly size: number
  /**
   * Whether the picture fills the whole square. The system cuts it into a form of its own, of which only a circle with
   * 80 % of the width is sure to be seen.
   */
  readonly isWhole: boolean
}

const icons: readonly Icon[] = [
  { file: 'icons/icon-180.png', size: 180, isWhole: true },
  { file: 'icons/icon-192.png', size: 192, isWhole: false },
  { file: 'icons/icon-512.png', size: 512, isWhole: false },
  { file: 'icons/icon-maskable-512.png', size: 512, isWhole: true },
]

await drawIcons()

async function drawIcons(): Promise<void> {
  await using chromium = await launchBrowser()
  const page = await chromium.browser.newPage()
  const svg = await readFile(new URL('icon.svg', folder), 'utf8')
  for (const icon of icons) {
    await page.setViewportSize({ width: icon.size, height: icon.size })
    await page.setContent(pageWith(svg, icon))
    await writeFile(new URL(icon.file, folder), await page.screenshot({ omitBackground: true }))
  }
}

function pageWith(svg: string, { isWhole }: Icon): string {
  const background = /<rect[^>]* fill="([^"]+)"/.exec(svg)?.[1] ?? 'none'
  const look = isWhole ? `body { background: ${background} } svg { padding: 10% }` : ''
  return `<style>* { box-sizing: border-box; margin: 0 } svg { display: block; width: 100vw } ${look}</style>${svg}`
}
