/**
 * The sentences that the server itself writes into answers: why an answer ended, why a tool call was closed, why an agent
 * could not be asked. `{name}` stands for a value. The server takes them from here, so a page can find the code of a
 * sentence again, also in old logs, and say it in another language. A sentence that is changed is not found in logs which
 * have the old one. Then people read it in English.
 */
export const serverSentences = {
  stopped: 'Stopped.',
  'stopped-by-user': 'Stopped by the user.',
  'stopped-by-message': 'Interrupted by a new message.',
  restarted: 'The server was restarted.',
  'server-died': 'This answer was ended because the server died {count} times while it was being written.',
  // Not written any more. Older logs have it.
  'restarted-without-progress': 'The server was restarted, and the answer did not get any further.',
  'restarted-model-gone':
    'The server was restarted. The model "{model}" cannot be chosen any more. Choose another one, and send the message again.',
  'restarted-agent-gone': 'The server was restarted, and "{agent}" cannot be asked here any more.',
  'restarted-agent-changed':
    'The server was restarted, and the definition of "{agent}" has changed since it began.',
  'shut-down': 'The server was shut down.',
  'run-over': 'The run is over.',
  'data-gone': 'The data of the server was moved or deleted, so this answer is not kept.',
  'data-damaged':
    'This answer could not be read after a restart: the data of the server is damaged. Ask again, or tell the operator.',
  'database-away':
    'The server could not reach its database for too long, so the rest of this answer was not saved. Send the message again.',
  'not-saved': 'The server could not save the answer.',
  'limit-time': 'The answer took too long.',
  'limit-tokens': 'The answer used up its tokens.',
  'limit-output': 'The answer became too long.',
  'limit-steps': 'The answer reached its limit of steps.',
  'limit-length': 'The answer reached the model’s limit of length.',
  'agent-gone': 'There is no agent "{agent}" any more.',
  'model-gone':
    'The model "{model}" cannot be chosen any more. Choose another one, and send the message again.',
  'agent-slow': '{agent} took too long.',
  'no-reason': 'The model ended the answer without saying why. Try again.',
  'provider-broke-off': 'The model provider broke off. What was said so far is kept; try again.',
  'provider-silent':
    'The model provider has sent nothing for too long. What it said so far is kept; try again.',
  'provider-lost': 'The connection to the model provider broke. What was said so far is kept; try again.',
  'provider-key':
    "The model provider refused the server's key ({status}). Check the key in the server's settings.",
  'provider-model': 'The model provider does not know this model (404). Check THROUGHLINE_MODEL.',
  'provider-busy': 'The model provider is busy or its quota is used up (429). Try again in a while.',
  'provider-problem': 'The model provider has a problem of its own ({status}). Try again in a while.',
  'provider-refused': 'The model provider refused the request ({status}).',
  broken: 'The answer broke off because of an error. What was said so far is kept; try again.',
  'call-not-yielded':
    'The agent called the tool "{tool}" without yielding its call first. What was said so far is kept.',
  unreadable: 'The agent sent something that cannot be shown: {problem}. What was said before it is kept.',
  'guardrail-question': 'A guardrail of the agent refused this message. Ask in another way.',
  'guardrail-answer': 'A guardrail of the agent refused this answer.',
  'guardrail-tool': 'A guardrail of the agent refused the call of a tool.',
  'input-incomplete': 'its input never arrived in full.',
  'no-result': 'The tool gave no result.',
  'agent-at-work': '"{agent}" is already at work on this task ({path}). Do it yourself.',
  'agent-too-deep': 'Tasks may be handed on {count} times at most. Do it yourself.',
  'agent-not-allowed': '"{caller}" may not ask "{agent}"; it may ask {allowed}.',
  'agent-unknown': 'There is no agent "{agent}".',
  'agents-used-up': 'No more agents may be asked in this answer. Work with what you have.',
  'agent-not-begun': 'The server was restarted before the agent began. You can ask it again.',
  'agent-cut':
    'The server was restarted while the agent worked. What it had said so far is in the summary. ' +
    'It is not known whether its last tool calls had an effect.',
  'nobody-to-ask': '"{caller}" may ask nobody. Do it yourself.',
} as const

/** Names one of the sentences. */
export type SentenceCode = keyof typeof serverSentences

/** The values of a sentence, by their names. */
type SentenceValues = Readonly<Record<string, string | number>>

/** Returns a sentence in English. Throws a `TypeError` when one of its values is missing. */
export function serverSentence(code: SentenceCode, values: SentenceValues = {}): string {
  return fillSentence(serverSentences[code], values)
}

/** Puts the values into a sentence, also into one of another language. Throws a `TypeError` when a value is missing. */
export function fillSentence(sentence: string, values: SentenceValues): string {
  return sentence.replace(valuePattern, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new TypeError(`The sentence "${sentence}" needs a value for "${name}".`)
    return String(value)
  })
}

/** Returns which of the sentences a text is, and its values; `undefined` when somebody else has written it. */
export function readServerSentence(
  text: string,
): { readonly code: SentenceCode; readonly values: SentenceValues } | undefined {
  if (text.length > maxChars) return undefined
  for (const code of Object.keys(serverSentences).filter(isSentenceCode)) {
    const found = patternOf(serverSentences[code]).exec(text)
    if (found !== null) return { code, values: { ...found.groups } }
  }
  return undefined
}

/** A longer text is not looked through. Tools and services can write texts that would take long. */
const maxChars = 1_000

const valuePattern = /\{(\w+)\}/g

function patternOf(sentence: string): RegExp {
  const escaped = sentence.replace(/[.()?]/g, '\\$&')
  return new RegExp(`^${escaped.replace(valuePattern, '(?<$1>.+?)')}$`, 's')
}

function isSentenceCode(key: string): key is SentenceCode {
  return Object.hasOwn(serverSentences, key)
}
