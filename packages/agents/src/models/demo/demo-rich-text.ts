/** The text of the `rich` scenario: what a page can show besides plain Markdown. Its sources follow as parts of their own. */
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

export const richSources = [
  { url: 'https://commonmark.org/', title: 'CommonMark' },
  { url: 'https://katex.org/docs/supported.html', title: 'What KaTeX supports' },
] as const
