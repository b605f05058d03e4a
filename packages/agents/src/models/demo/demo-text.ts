/** The long texts of the demo model. */

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

export const reasoningSteps = [
  'The question is about thinking itself, so the honest start is this: nothing is being thought here. ' +
    'These lines are recited from a script, to show how reasoning looks while it streams.',
  'Suppose it were a riddle: three boxes, one with apples, one with pears, one with both, and every label wrong. ' +
    'Open the box labelled "both". Whatever fruit comes out is all it holds, and the other two follow from that.\n\n' +
    'One look is therefore enough. That can be said in two sentences.',
] as const

export const reasoningStepsInChinese = [
  '先说实话：这里并没有真正的思考，这几行是按脚本念出来的，用来展示推理内容在流式输出时的样子。',
  '假设有三个盒子：一个装苹果，一个装梨，一个两样都有，而标签全都贴错了。先打开标着“两样都有”的那个：拿出来的水果就是它唯一的内容，另外两个也随之确定。\n\n所以只需要看一次。',
] as const
