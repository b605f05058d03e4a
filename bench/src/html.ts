import { htmlToText } from '@throughline/agents/web/html-to-text'
import { Parser } from 'htmlparser2'
import { parse } from 'parse5'
import { compared, gain, type Pair } from './paired.ts'
import type { Measurement, Section } from './report.ts'
import { medianOf } from './timing.ts'

type Read = (html: string) => unknown

const ours: Read = html => htmlToText(html, { url: 'https://example.com/' })

const others: readonly (readonly [string, Read])[] = [
  ['htmlparser2', readWithHtmlparser2],
  ['parse5', html => parse(html)],
]

/** Pages of these tags are hostile: no element is ever closed. */
const neverClosed = ['<b>', '<ul><li>', '<table><tr><td>']

/** Measures how web pages become text: our reader, and two libraries that only parse. */
export async function measureHtml(): Promise<Section> {
  const measurements: Measurement[] = []
  for (const [name, read] of others) measurements.push(await measureArticle(name, read))
  for (const tags of neverClosed) measurements.push(await measureGrowth(tags))
  return {
    title: 'HTML: web pages into text',
    notes: [
      'Ours gives the text with headings, lists, links and tables. The others do less here: they only parse.',
      'The article: time per 1,000 characters. Growth: how much longer one character takes on a page of 400 kB than on one',
      'of 100 kB, when no tag is ever closed. 1 is linear, 4 is quadratic; the goal is for ours.',
      'Why ours is written by hand is in docs/decisions/0014-written-by-hand.md.',
    ],
    columns: { ours: 'ours', other: 'other' },
    measurements,
  }
}

async function measureArticle(name: string, read: Read): Promise<Measurement> {
  const html = article(500_000)
  await ours(html)
  const pairs: Pair<number>[] = []
  for (let round = 0; round < 5; round += 1) {
    pairs.push({ ours: await perThousand(ours, html), other: await perThousand(read, html) })
  }
  return compared(`an article of 500 kB, ${name}`, pairs, { goal: undefined, ratioOf: gain })
}

async function measureGrowth(tags: string): Promise<Measurement> {
  const growth = await growthOf(ours, tags)
  const other = await growthOf(readWithHtmlparser2, tags)
  return {
    name: `growth with ${tags}, htmlparser2`,
    ours: growth.toFixed(2),
    other: other.toFixed(2),
    ratio: growth,
    goal: { atMost: 2 },
  }
}

async function growthOf(read: Read, tags: string): Promise<number> {
  const pageOf = (length: number) => tags.repeat(length / tags.length)
  const [short, long] = [pageOf(100_000), pageOf(400_000)]
  await read(short)
  return (
    (await medianOf(3, () => perThousand(read, long))) / (await medianOf(3, () => perThousand(read, short)))
  )
}

/** Returns the microseconds per 1,000 characters. */
async function perThousand(read: Read, html: string): Promise<number> {
  const startedAt = performance.now()
  await read(html)
  return (performance.now() - startedAt) / (html.length / 1_000_000)
}

function readWithHtmlparser2(html: string): void {
  const ignore = () => undefined
  const parser = new Parser({ onopentag: ignore, ontext: ignore, onclosetag: ignore })
  parser.write(html)
  parser.end()
}

function article(length: number): string {
  const section = (number: number) =>
    `<h2 id="s${number}">Section ${number}</h2><p>Some <b>words</b> and a <a href="/page/${number}">link</a>, &amp; more.` +
    `<ul><li>one<li>two</ul><table><tr><td>${number}</td><td>value</td></tr></table>`
  const sections: string[] = []
  for (let size = 0, number = 1; size < length; number += 1) {
    const html = section(number)
    sections.push(html)
    size += html.length
  }
  return `<!doctype html><title>Article</title><nav><a href="/">Home</a></nav><main>${sections.join('\n')}</main>`
}
