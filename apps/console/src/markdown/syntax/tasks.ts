import type { StateCore } from 'markdown-it'

/** Finds list items that begin with `[ ]` or `[x]`. Puts a `task` token in the place of the brackets. */
export function markTasks({ tokens, Token }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const item = tokens[index - 2]
    const [text] = token.children ?? []
    if (item?.type !== 'list_item_open' || token.type !== 'inline' || text?.type !== 'text') continue
    const [brackets, mark] = /^\[([ xX])\]\s/.exec(text.content) ?? []
    if (brackets === undefined) continue
    const task = new Token('task', '', 0)
    task.info = mark === ' ' ? '' : 'done'
    text.content = text.content.slice(brackets.length)
    token.children?.unshift(task)
    item.attrSet('class', 'task')
  }
}
