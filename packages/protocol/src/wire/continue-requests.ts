/**
 * What the button "Continue" of the page asks an agent, in each language of the page. It is here because two sides need it:
 * the page sends it, and the demo model, which does not understand what it reads, recognises it.
 * It stands alone, because the first script of the page needs it, and none of the server's sentences.
 */
export const continueRequests = {
  en: 'Please go on from where you stopped. Do not repeat what you have already said or done.',
  zh: '请从你停下的地方继续，不要重复已经说过或做过的内容。',
} as const
