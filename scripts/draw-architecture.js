// `npm run draw`: draws docs/images/architecture.svg. With `--check` nothing is written: a picture that differs from what
// would be drawn is an error.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const picture = new URL('docs/images/architecture.svg', root)

// Every box names the file at which to start reading: packages/NAME/src/… without the ends.
const writing = [
  { title: 'A message', file: 'server/http/submit/submission', lines: ['a POST, with its guards'] },
  {
    title: 'One run',
    file: 'server/admission/claim-run',
    lines: ['claimed once, however', 'often it is sent'],
  },
  { title: 'The agent', file: 'agents/run/run-agent', lines: ['model and tools, to', 'exactly one end'] },
  { title: 'Chunks', file: 'agents/message/segment', lines: ['events become chunks,', 'in true order'] },
  { title: 'Batches', file: 'log/batch-deltas', lines: ['50 ms or 10 characters,', 'one write in flight'] },
]
const reading = [
  { title: 'Our page', file: 'client/chat/follow-chat', lines: ['folds the entries, live', 'in every tab'] },
  {
    title: 'AI SDK clients',
    file: 'server/http/respond/stream-run',
    lines: ['useChat as it is,', 'resumed byte for byte'],
  },
  { title: 'Other forms', file: 'server/stream/run-form', lines: ['event API, AG-UI,', 'AI SDK 4 lines'] },
  {
    title: 'Channels',
    file: 'channels/delivery/deliver-run',
    lines: ['blocks and an outbox:', 'Telegram, webhook'],
  },
  {
    title: 'The database',
    file: 'server/engine/end-run',
    lines: ['the same fold, as rows', 'at the run’s end'],
  },
]
const entries = ['message', 'start', 'text', 'tool call', 'result', 'sub-agent', 'text', 'finish']

const followers = [0, 1, 2, 3]

const width = 1080
const margin = 24
const gap = 22
const boxWidth = (width - 2 * margin - 4 * gap) / 5
const boxHeight = 112
const rows = { writing: 92, log: 276, follow: 376, reading: 462, height: 612 }

main(process.argv.includes('--check'))

function main(isCheck) {
  for (const { file } of [...writing, ...reading]) {
    if (!existsSync(new URL(sourceOf(file), root)))
      fail(`There is no ${sourceOf(file)}. Change scripts/draw-architecture.js.`)
  }
  const drawn = draw()
  if (!isCheck) writeFileSync(picture, drawn)
  else if (!existsSync(picture) || readFileSync(picture, 'utf8') !== drawn)
    fail(`${fileURLToPath(picture)} is not what would be drawn. Run "npm run draw".`)
}

function draw() {
  const parts = [
    text(margin, 40, 'heading', 'Push, with back pressure: a run waits while the log catches up'),
    ...writing.flatMap((box, column) => drawBox(box, column, rows.writing)),
    ...writing.slice(1).map((_, column) => arrowRight(column)),
    ...loopAt(2),
    ...drawLog(),
    ...drawFollow(),
    ...reading.flatMap((box, column) => drawBox(box, column, rows.reading)),
    ...followers.map(column => arrowDown(middleOf(column), rows.follow + 40, rows.reading)),
    arrowDown(middleOf(4), rows.log + 54, rows.reading),
    text(margin, rows.height - 14, 'heading', 'Pull: everyone reads the log, also the one who asked'),
  ]
  return `${head()}\n${parts.map(part => `  ${part}`).join('\n')}\n</svg>\n`
}

function head() {
  const label =
    'A message becomes a run; its agent’s events become chunks, which are batched into the log; every reader follows the log.'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${rows.height}" role="img" aria-label="${label}">
  <!-- Drawn by scripts/draw-architecture.js. -->
  <style>
    svg { --paper: #ffffff; --box: #f4f5f7; --line: #c3c8d0; --ink: #1c2128; --quiet: #59636e; --log: #0b6bcb; --cell: #e3effb }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #14181d; --box: #1f252c; --line: #464f5a; --ink: #e8ebef; --quiet: #a3adb8; --log: #6cb3f5; --cell: #17324a }
    }
    text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif; fill: var(--ink) }
    .heading { font-size: 16px; font-weight: 600; fill: var(--quiet) }
    .title { font-size: 17px; font-weight: 600 }
    .line, .cell { font-size: 13.5px }
    .file { font-size: 11px; font-family: ui-monospace, 'Liberation Mono', Menlo, Consolas, monospace; fill: var(--quiet) }
    .strong { font-size: 15px; font-weight: 600; fill: var(--log) }
    .box { fill: var(--box); stroke: var(--line) }
    .entry { fill: var(--cell); stroke: var(--log) }
    .arrow { fill: none; stroke: var(--quiet); stroke-width: 1.6; marker-end: url(#tip) }
  </style>
  <defs>
    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8Z" fill="var(--quiet)"/></marker>
  </defs>
  <rect width="${width}" height="${rows.height}" rx="12" fill="var(--paper)"/>`
}

function drawBox({ title, file, lines }, column, top) {
  const left = leftOf(column)
  return [
    rectangle('box', { left, top, width: boxWidth, height: boxHeight }),
    text(left + 14, top + 28, 'title', title),
    ...lines.map((line, index) => text(left + 14, top + 52 + index * 19, 'line', line)),
    text(left + 14, top + boxHeight - 14, 'file', file),
  ]
}

/** The log, with its newest entry at the right end, where batches are appended. */
function drawLog() {
  const cellWidth = (width - 2 * margin) / entries.length
  const cells = entries.flatMap((name, index) => {
    const left = margin + index * cellWidth
    return [
      rectangle('entry', { left, top: rows.log, width: cellWidth, height: 54 }),
      text(left + 10, rows.log + 21, 'strong', `${index + 1}`),
      text(left + 10, rows.log + 42, 'cell', name),
    ]
  })
  const end = middleOf(4)
  return [
    text(
      margin,
      rows.log - 16,
      'strong',
      'The chat’s log: every entry has a number, and is synced to the disk before anyone sees it',
    ),
    ...cells,
    arrowDown(end, rows.writing + boxHeight, rows.log),
  ]
}

/** What readers follow. The database is not one of them: a run folds what it writes as it writes it. */
function drawFollow() {
  const top = rows.follow
  const end = leftOf(3) + boxWidth
  const middle = (margin + end) / 2
  const words =
    '<tspan font-weight="600">Follow</tspan>: first what is there, then what comes, after any position'
  return [
    rectangle('box', { left: margin, top, width: end - margin, height: 40 }),
    `<text class="line" x="${middle}" y="${top + 25}" text-anchor="middle">${words}</text>`,
    arrowDown(middle, rows.log + 54, top),
  ]
}

/** A sub-agent is the same again. */
function loopAt(column) {
  const left = leftOf(column)
  const top = rows.writing
  const [from, to] = [left + boxWidth - 30, left + 30]
  return [
    `<path class="arrow" d="M${from} ${top}C${from} ${top - 34} ${to} ${top - 34} ${to} ${top}"/>`,
    text(left + boxWidth + 4, top - 14, 'line', 'a sub-agent: the same again, into the same log'),
  ]
}

function arrowRight(column) {
  const from = leftOf(column) + boxWidth
  return `<path class="arrow" d="M${from + 2} ${rows.writing + boxHeight / 2}H${from + gap - 2}"/>`
}

function arrowDown(x, from, to) {
  return `<path class="arrow" d="M${x} ${from + 2}V${to - 2}"/>`
}

function rectangle(kind, { left, top, width, height }) {
  return `<rect class="${kind}" x="${left}" y="${top}" width="${width}" height="${height}" rx="${kind === 'box' ? 8 : 0}"/>`
}

function text(x, y, kind, words) {
  return `<text class="${kind}" x="${x}" y="${y}">${words}</text>`
}

function leftOf(column) {
  return margin + column * (boxWidth + gap)
}

function middleOf(column) {
  return leftOf(column) + boxWidth / 2
}

function sourceOf(file) {
  const [name, ...rest] = file.split('/')
  return `packages/${name}/src/${rest.join('/')}.ts`
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
