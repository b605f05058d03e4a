import { countWords } from './demo-words.ts'
import type { SeededRandom } from './seeded-random.ts'

// The long texts of the demo model.

/** A text of Markdown that has one of everything. It is the same in both languages. */
export const markdownSample = `# A tour of Markdown

This text is a sample recited by the **scripted demo model**. It holds one of everything that a page has to render
while it is still arriving.

## Lists

- A bullet with *emphasis*, \`inline code\` and a [link](https://example.com/)
- A bullet with children
  - the first child
  - the second child
- [x] A task that is done
- [ ] A task that is not

1. First, the chunk is written to the log.
2. Then everybody reads it from there.
3. Nobody gets a special path.

## Code

A generator that numbers what passes through it:

\`\`\`typescript
type Numbered<Item> = { readonly seq: number; readonly item: Item }

export async function* numbered<Item>(items: AsyncIterable<Item>, after = 0): AsyncGenerator<Numbered<Item>> {
  let seq = after
  for await (const item of items) {
    seq += 1
    yield { seq, item }
  }
}

// It has a template literal with a backtick and a blank line, because both are hard for Markdown renderers:

export const greeting = (name: string) => \`Hello, \${name}!\`
\`\`\`

And a shell command:

\`\`\`sh
curl -N http://127.0.0.1:4000/health
\`\`\`

## A table

| Part | Opens with | Closes with | May be empty |
|:-----------|:------------------|:----------------|:------------:|
| text | \`text-start\` | \`text-end\` | yes |
| reasoning | \`reasoning-start\` | \`reasoning-end\` | yes |
| tool input | \`tool-input-start\` | \`tool-call\` | no |

## A quote

> A stream is a promise about order.
>
> > And a quote inside a quote is a promise about indentation.

---

### The end

Symbols that must survive: 5 < 7 && 7 > 5, \\*not emphasis\\*, "quotes", naïve café, 中文字符, 👩‍🚀.
`

/** What a page can show besides plain Markdown. */
export const richText = `## Formulas

Euler found $e^{i\\pi} + 1 = 0$, and for every $n \\ge 1$:

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

A price such as $5 or $10 is not a formula.

## A diagram

\`\`\`mermaid
flowchart LR
  Agent -->|chunk| Log[(Log)]
  Log --> Page
  Log --> Phone
  Log --> Channel[Chat channel]
\`\`\`

## Tasks and notes

- [x] Write the chunk to the log
- [x] Show it to everybody
- [ ] Lose it

A footnote[^1] stands below its text. An answer can also name its sources [1] by their numbers [2].

[^1]: Like this one.

## Other scripts

مرحبا بالعالم، هذا النص من اليمين إلى اليسار.

**重点：**中文里的强调不需要空格。

## Code

\`\`\`python
def fibonacci(count: int) -> list[int]:
    """Returns the first Fibonacci numbers."""
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]
\`\`\`

\`\`\`diff
- A stream that is gone after a reload
+ A log that everybody reads
\`\`\`
`

/** The same in Chinese. */
export const richTextInChinese = `## 公式

欧拉公式是 $e^{i\\pi} + 1 = 0$。对任意 $n \\ge 1$，有：

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

像 $5 或 $10 这样的价格不是公式。

## 图表

\`\`\`mermaid
flowchart LR
  智能体 -->|数据块| 日志[(日志)]
  日志 --> 网页
  日志 --> 手机
  日志 --> 聊天频道
\`\`\`

## 任务与脚注

- [x] 把数据块写入日志
- [x] 让所有人看到
- [ ] 把它弄丢

脚注[^1]写在正文下方。回答还可以用编号 [1] 和 [2] 标明来源。

[^1]: 就像这一条。

**重点：**中文里的强调不需要空格。

## 代码

\`\`\`python
def fibonacci(count: int) -> list[int]:
    """返回前几个斐波那契数。"""
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]
\`\`\`
`

/** Returns numbered paragraphs with at least `minWords` words together. They are made of sentences with gaps. */
export function longText(minWords: number, random: SeededRandom): string {
  const paragraphs: string[] = []
  let words = 0
  while (words < minWords) {
    const chosen = Array.from({ length: 4 + random.below(3) }, () => sentence(random))
    const paragraph = `${paragraphs.length + 1}. ${chosen.join(' ')}`
    paragraphs.push(paragraph)
    words += countWords(paragraph)
  }
  return paragraphs.join('\n\n')
}

function sentence(random: SeededRandom): string {
  const filled = random.pick(sentences).replace(/\{(\w+)\}/g, (_, gap: string) => {
    const choices = gaps[gap]?.split(' / ') ?? []
    return choices[random.below(choices.length)] ?? gap
  })
  return filled.charAt(0).toUpperCase() + filled.slice(1)
}

const sentences: readonly [string, ...string[]] = [
  '{who} stood {where} {when}, looking after {thing}.',
  '{when}, {who} noticed that {thing} had been left {where}.',
  'nobody could say why {thing} mattered so much, but {who} was certain that it did.',
  '{who} wrote everything down in order, because {reason}.',
  'if you asked {who} about {thing}, you heard the same answer every time: {reason}.',
  'the path {where} was {quality}, and {who} liked it that way.',
  '{when} the lamps were lit {where}, and the evening turned {quality}.',
  '"{saying}," said {who}, and put {thing} back on the shelf.',
  '{thing} lay {where}, {quality} and almost forgotten.',
  '{who} counted to ten, looked {where}, and began again, since {reason}.',
  'some said the story of {thing} was {quality}; {who} only smiled.',
  'by the time {who} arrived {where}, {thing} was already there.',
  'it is said {where} that {reason}, and {who} saw no cause to doubt it.',
  '{when}, with the wind turning {quality}, {who} sat down to mend {thing}.',
  'for {who}, a morning that was {quality} was reason enough to go looking for {thing}.',
  '"{saying}," read the note that {who} found {where}.',
]

/** The choices for each gap. */
const gaps: Readonly<Record<string, string>> = {
  who: 'the lighthouse keeper / an old cartographer / the ferryman / a careful archivist / the youngest of the bell ringers / the night porter / a travelling clockmaker / the librarian / the gardener / a retired signalman',
  thing:
    'a brass compass / the blue ledger / a box of unsent letters / the spare key / a folded map of the coast / the cracked bell / a jar of river sand / the list of tides / a coil of good rope / the second lantern',
  where:
    'along the harbour wall / behind the old station / at the top of the stairs / beside the slow canal / near the orchard gate / in the reading room / on the far side of the bridge / below the weather vane / under the arches of the market',
  when: 'early in the morning / on the last day of the month / just before the rain / long after supper / when the ferry was late / in the quiet hour after noon / towards the end of winter / on an ordinary Tuesday',
  quality:
    'quiet / calm / silver at the edges / slower than usual / pleasantly cold / strange / bright / gentle / hard to describe',
  reason:
    'what is written down once need not be remembered twice / the order of things is half of their meaning / a tide that is missed comes back, but never quite the same one / whoever arrives late should be able to read what happened before / a small light in the right place is worth more than a large one elsewhere / every road is shorter for those who have walked it before / a promise kept in silence is still a promise',
  saying:
    'Begin where you stopped, and not one step earlier / Leave the door as you found it / Count the waves, but do not trust the count / Whoever asks twice listens once / There is always time to read it again / Keep the first page dry and the rest will follow',
}
