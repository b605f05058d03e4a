import { expect, test } from 'vitest'
import { seededRandom } from '../../src/demo/seeded-random.ts'
import { htmlToText, withoutTags } from '../../src/web/html-to-text.ts'

const url = 'https://example.com/docs/page.html'
const textOf = async (html: string) => (await htmlToText(html, { url })).text

test('a page becomes its title and its text', async () => {
  const page = await htmlToText(
    `<!doctype html><html><head><title>A &amp; B
      page</title><style>p{}</style><script>if (a < b) "</p>"</script></head>
     <body><nav><a href="/">Home</a></nav><h1>Heading</h1><p>One   <b>bold</b>
     word.<p>Two<br>lines.<div>Three</div>four</body></html>`,
    { url },
  )
  expect(page).toEqual({
    title: 'A & B page',
    text: '# Heading\n\nOne bold word.\n\nTwo\nlines.\n\nThree\n\nfour',
  })
})

test.each([
  ['<a href="other.html">x</a>', '[x](https://example.com/docs/other.html)'],
  ['<a href="/a?b=1&amp;c=2">x</a>', '[x](https://example.com/a?b=1&c=2)'],
  ["<A HREF='//cdn.example/x'>x</A>", '[x](https://cdn.example/x)'],
  ['<a href=bare>x</a>y', '[x](https://example.com/docs/bare)y'],
  ['<a href="mailto:a@b.example">write</a>', '[write](mailto:a@b.example)'],
  ['<a href="/a_(b)">x</a>', '[x](https://example.com/a_%28b%29)'],
  ['a<a href="/x"> b </a>c', 'a [b](https://example.com/x) c'],
  ['<a href="#part">x</a>', 'x'],
  ['<a href="javascript:alert(1)">x</a>', 'x'],
  ['<a href="java\nscript:alert(1)">x</a>', 'x'],
  ['<a href="data:text/html,x">x</a>', 'x'],
  ['<a href="http://[">x</a>', 'x'],
  ['<a>x</a>', 'x'],
  ['<a href="/x"></a>y', 'y'],
  ['<a href="/x"><img src=i alt="Logo"></a>', '[Logo](https://example.com/x)'],
  ['<a href="/x"><img src=i></a>y', 'y'],
  ['<a href="/x">\n<h3>Title</h3><p>Words</p></a>', '### [Title](https://example.com/x)\n\nWords'],
  ['<a href="/1">x<a href="/2">y', '[x](https://example.com/1)[y](https://example.com/2)'],
  [`<a href="/${'a'.repeat(600)}">x</a>`, 'x'],
])('the link %s is written %s', async (html, text) => {
  expect(await textOf(html)).toBe(text)
})

test('links are relative to the first base of the page', async () => {
  const html = '<base href="/first/"><base href="/other/"><a href="x">y</a>'
  expect(await textOf(html)).toBe('[y](https://example.com/first/x)')
})

test('lists keep their order, numbers and nesting, with or without end tags', async () => {
  expect(await textOf('Before<ul><li>a<li>b<ul><li>c</ul><li>d</ul>After')).toBe(
    'Before\n\n- a\n- b\n  - c\n- d\n\nAfter',
  )
  expect(await textOf('<ol start=3><li><p>a</p></li><li>b</li></ol>')).toBe('3. a\n4. b')
  expect(await textOf('<ul><li></li><li>a</li></ul>')).toBe('- a')
  expect(await textOf('<li>alone')).toBe('- alone')
})

test('a table is one line per row', async () => {
  const html = `<table><caption>Prices</caption><thead><tr><th>Name<th>Price</thead>
    <tbody><tr><td>Tea</td><td><p>2</p><p>EUR</p></td></tr><tr><td></td><td>3</td></tr></table>after`
  expect(await textOf(html)).toBe('Prices\n\nName | Price\nTea | 2 EUR\n| 3\n\nafter')
})

test('a table inside a table keeps rows apart', async () => {
  expect(await textOf('<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>')).toBe('a\nb | c\n| d')
})

test('preformatted text keeps its white space', async () => {
  expect(await textOf('<p>x</p><pre>\n  a &lt; b\n\n    c  d\n</pre>y')).toBe(
    'x\n\n```\n  a < b\n\n    c  d\n```\n\ny',
  )
})

test.each([
  '<script>x</script>',
  '<SCRIPT>x</SCRIPT >',
  '<script>x<!--</script>',
  '<style>x</style>',
  '<template>x</template>',
  '<svg><title>x</title><text>x</text></svg>',
  '<svg/>',
  '<nav><ul><li>x</ul></nav>',
  '<aside>x</aside>',
  '<footer>x</footer>',
  '<button>x</button>',
  '<select><option>x<option>y</select>',
  '<textarea><p>x</textarea>',
  '<iframe>x</iframe>',
  '<dialog>x</dialog>',
  '<div hidden>x<div>y</div>z</div>',
  '<span style="color:red; DISPLAY : none">x</span>',
  '<span style="visibility:hidden">x</span>',
  '<span aria-hidden="true">x</span>',
  '<ul><li hidden>x</ul>',
  '<!-- x -->',
  '<!-->',
  '<!doctype html>',
  '<?php x ?>',
  '</x y>',
])('nothing of %s is read, and everything after it is', async html => {
  expect((await textOf(`before ${html} after`)).replace(/\s+/g, ' ')).toBe('before after')
})

test('asides and footers inside the content are read', async () => {
  expect(await textOf('<article>a<aside>note</aside><footer>source</footer></article>')).toBe(
    'a\n\nnote\n\nsource',
  )
})

test('the main part is enough when it has some length', async () => {
  const words = 'word '.repeat(100).trim()
  expect(await textOf(`<div>menu</div><main><h1>T</h1><p>${words}</p></main><div>more</div>`)).toBe(
    `# T\n\n${words}`,
  )
  expect(await textOf('<div>menu</div><main>short</main>')).toBe('menu\n\nshort')
})

test('a page that hides itself until its scripts have run is read all the same', async () => {
  expect(await textOf('<html style="visibility:hidden"><body hidden><p>x</body></html>')).toBe('x')
})

test('without a title the first heading is it, and without text the description is it', async () => {
  expect(await htmlToText('<p>x</p><h2>Name</h2>', { url })).toMatchObject({ title: 'Name' })
  const shell = '<meta name="Description" content=" What it is "><div id=app></div>'
  expect(await htmlToText(shell, { url })).toEqual({ title: '', text: 'What it is' })
})

test('in XHTML an element without content needs no end tag', async () => {
  const html = '<html><head><title/><script src="x"/></head><body><div/><p>x</p></body></html>'
  expect(await htmlToText(html, { url, isXml: true })).toMatchObject({ text: 'x' })
})

test.each([
  ['a < b && c > d', 'a < b && c > d'],
  [
    '&lt;b&gt; &copy; &#x4f60;&#22909; &nbsp;&notit; &#0; &unknown;',
    '<b> © 你好 \u00a0¬it; \ufffd &unknown;',
  ],
  ['<', '<'],
  ['x<', 'x<'],
  ['x</', 'x'],
  ['x<a', 'x'],
  ['x<a href="', 'x'],
  ['x<!--', 'x'],
  ['x<!-- y', 'x'],
  ['x<script>y', 'x'],
  ['<p =x "y\' / // a=>z', 'z'],
  ['<p a="1"b=\'2\'c>z', 'z'],
  ['</p></div></table>x', 'x'],
  ['<b><i>x</b></i>y', 'xy'],
  ['<h2>x</h3><p>y', '## x\n\ny'],
  ['<td>x</td></tr>y', 'xy'],
  ['', ''],
])('%j is read as %j', async (html, text) => {
  expect(await textOf(html)).toBe(text)
})

test('10,000 random pages are read without an error', async () => {
  const random = seededRandom(21)
  const scraps = [
    ...[
      '<',
      '>',
      '/',
      '=',
      '"',
      "'",
      '&',
      '&amp;',
      '&#',
      ' ',
      '\n',
      '\0',
      'x',
      '你',
      '\ud800',
      '<!--',
      '-->',
      '</',
      '<!',
    ],
    ...[
      '<a href="',
      '<a href=/x>',
      '</a>',
      '<p>',
      '</p>',
      '<ul>',
      '<li>',
      '</ul>',
      '<table>',
      '<tr>',
      '<td>',
      '</table>',
    ],
    ...[
      '<pre>',
      '</pre>',
      '<title>',
      '</title>',
      '<script>',
      '</script>',
      '<main>',
      '</main>',
      '<h1>',
      '</h1>',
      '<br>',
    ],
    ...[
      '<svg>',
      '</svg>',
      '<nav>',
      '</nav>',
      '<div hidden>',
      '</div>',
      '<base href="x:">',
      '<select>',
      '<option>',
    ],
  ] as const
  for (let index = 0; index < 10_000; index += 1) {
    const html = Array.from({ length: random.below(60) }, () => random.pick(['', ...scraps])).join('')
    expect(typeof (await textOf(html))).toBe('string')
  }
})

// The time must be linear in the length: a part of a second here. Quadratic work would take minutes, and so run into the
// timeout of the test. The time itself is not asserted, because it depends on the machine.
test.each([
  ...[
    '<',
    '<a ',
    '<a x',
    '<a "',
    '<a x="',
    '<!--',
    '<!',
    '</',
    '</b>',
    '<b>',
    '<p>',
    '<div>',
    '<li>',
    '<ul>',
    '<ul><li>',
  ],
  ...[
    '<a href=x>',
    '<a href=x> ',
    '<title>',
    '<script>',
    '<script></script>',
    '<pre>',
    '<pre> ',
    '<table><tr><td>',
    '<td>',
  ],
  ...[
    '<p><b>',
    '<b></i>',
    '<div><p><a href=x>',
    '&',
    '&amp',
    '&#1',
    ' ',
    ' \n',
    '<br>',
    '<br> ',
    '<h1>',
    '<nav>',
    '<main>',
  ],
  ...['<div style="display', "<a b='", '<svg/>', '<option>', '<dd>', '|', '# '],
])('200,000 characters of %j are read to the end', async scrap => {
  const html = scrap.repeat(200_000 / scrap.length)
  expect(typeof (await textOf(html))).toBe('string')
  expect(typeof (await textOf(`<div><table>${html}</table>`))).toBe('string')
})

test('a snippet loses its tags', () => {
  expect(withoutTags('a <strong>b</strong>\n &amp; <script>c</script>d')).toBe('a b & d')
})

test('the first title with words counts', async () => {
  expect(await htmlToText('<title> </title><title>A</title><title>B</title>', { url })).toEqual({
    title: 'A',
    text: '',
  })
})

test('a long title is cut between characters, never inside of one', async () => {
  const { title } = await htmlToText(`<title>${'😀'.repeat(200)}x</title>`, { url })
  expect(title).toBe('😀'.repeat(150))
  const { title: odd } = await htmlToText(`<title>x${'😀'.repeat(200)}</title>`, { url })
  expect(odd).toBe(`x${'😀'.repeat(149)}`)
})

test('others have their turn while a large page is read, and a stop ends it', async () => {
  const stop = new AbortController()
  let turns = 0
  const count = () => {
    turns += 1
    if (turns === 3) stop.abort()
    else setImmediate(count)
  }
  setImmediate(count)
  // Tokens that produce no text take time as well, so they must count.
  for (const scrap of ['<p>x', '<!---->', '</b>']) {
    await htmlToText(`<nav>${scrap.repeat(5_000)}`, { url, signal: new AbortController().signal })
  }
  await expect(htmlToText('<p>x'.repeat(50_000), { url, signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
  })
  expect(turns).toBe(3)
})
