/** What a person asks in a conversation of two turns. */
export const firstQuestion = '第一个问题 🌱'
export const secondQuestion = '第二个问题 🌿'

/** How many questions a model was given. */
export function questionsIn(prompt: readonly { readonly role: string }[]): number {
  return prompt.filter(({ role }) => role === 'user').length
}
