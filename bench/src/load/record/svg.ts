/** The colours of lines and bars. They can be read on a light and on a dark page. */
export const colours = ['#2f81f7', '#8b949e', '#d29922', '#3fb950'] as const

const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 14px; font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .goal { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 5 4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #30363d; }
    .goal { stroke: #ff7b72; }
  }
`

interface Picture {
  readonly title: string
  readonly height: number
  readonly shapes: readonly string[]
}

/** Returns a picture with its title on top. It has no background, so it fits a light page and a dark one. */
export function picture({ title, height, shapes }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    textAt({ x: 10, y: 22, text: title, isTitle: true }),
    ...shapes,
    '</svg>',
    '',
  ].join('\n')
}

/** The width of every picture. */
export const width = 760

interface Text {
  readonly x: number
  readonly y: number
  readonly text: string
  /** Which end of the text is at `x`. Default: its start. */
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly isTitle?: boolean
  /** Default: the colour for texts. */
  readonly colour?: string
}

export function textAt({ x, y, text, anchor = 'start', isTitle = false, colour }: Text): string {
  const title = isTitle ? ' class="title"' : ''
  const fill = colour === undefined ? '' : ` style="fill: ${colour}"`
  return `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}"${title}${fill}>${escaped(text)}</text>`
}

interface Line {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly className: 'grid' | 'goal'
}

export function lineFrom({ from: [x1, y1], to: [x2, y2], className }: Line): string {
  const ends = `x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}"`
  return `<line ${ends} class="${className}"/>`
}

/** Returns a coordinate with one decimal. More would only make the file longer. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
